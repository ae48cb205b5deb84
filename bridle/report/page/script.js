"use strict";
// Everything on a page comes from the JSON in the element "figures", which is what the command's --json writes.
const figures = JSON.parse(document.getElementById("figures").textContent);

function fill_table(id, header, lines) {
  const table = document.getElementById(id);
  table.replaceChildren();
  const add = (cells, tag) => {
    const row = table.insertRow();
    for (const cell of cells) {
      const element = document.createElement(tag);
      element.textContent = cell;
      row.append(element);
    }
  };
  add(header, "th");
  for (const line of lines) add(line, "td");
}
