#!/usr/bin/env python3
"""Man pages and completions from what `bridle --help` prints: one source for all of them.

    help_texts.py BRIDLE man FOLDER             bridle.1 and bridle-COMMAND.1
    help_texts.py BRIDLE completions FOLDER     bridle.bash, _bridle (zsh), bridle.fish

The date of the man pages is that of SOURCE_DATE_EPOCH, so that they can be made again bit for bit.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import time

Entry = collections.namedtuple("Entry", "flags form choices description")
Command = collections.namedtuple("Command", "name summary usage positionals options commands footer")

SECTIONS = {"Positionals:": "positionals", "Options:": "options", "Subcommands:": "commands"}


def parse(name, text):
    """The sections of a help text of CLI11."""
    lines = text.splitlines()
    summary, usage = lines[0].rstrip("."), lines[1].removeprefix("Usage: ")
    found = {"positionals": [], "options": [], "commands": []}
    section, footer = None, []
    for line in lines[2:]:
        if line in SECTIONS:
            section = SECTIONS[line]
        elif section and re.match(r"  \S", line):
            left, description = split(line)
            found[section].append((left, [description] if description else []))
        elif section and line.startswith("   ") and found[section]:
            found[section][-1][1].append(line.strip())
        elif line.strip():
            section = None
            footer.append(line)
    entries = {key: [entry(left, description) for left, description in value] for key, value in found.items()}
    return Command(name, summary, usage, footer="\n".join(footer), **entries)


def split(line):
    match = re.match(r"  (\S.*?)(?:\s{2,}(\S.*))?$", line)
    if len(match[1]) > 27 and match[2] is None and " " in match[1][27:]:  # one blank only between the columns
        return match[1], ""
    if match[2] is None and len(line) > 30 and line[29] == " ":
        return line[2:29].rstrip(), line[30:]
    return match[1], match[2] or ""


def entry(left, description):
    flags, _, form = left.partition(" ")
    form = re.sub(r" ?(REQUIRED|Excludes: .*|Needs: .*)", "", form)
    choices = re.search(r":\{([^}]*)\}", form)
    values = choices[1].split(",") if choices else named_in(description)
    form, _, default = re.sub(r":\{[^}]*\}", "", form).partition("=")
    if default:
        description = description + [f"Default: {default}"]
    flags = re.sub(r"\{[^}]*\}", "", flags)  # a flag that sets something to false says so
    return Entry(flags.split(","), form, values, description)


def named_in(description):
    """Values that the description tells: "One of a, b", "Which rates: a, b", or "One of:" and a line "a: what it is" each."""
    if description[:1] == ["One of:"]:
        return [name for name, colon, _ in (line.partition(":") for line in description[1:]) if colon and " " not in name]
    match = re.match(r"(?:One of|Which [a-z ]+:) ([\w-]+(?:, [\w-]+)+)", " ".join(description))
    return match[1].split(", ") if match else []


def read(bridle):
    def help_of(*words):
        done = subprocess.run([bridle, *words, "--help"], capture_output=True, text=True, check=True)
        return done.stdout

    top = parse("bridle", help_of())
    return top, [parse(one.flags[0], help_of(one.flags[0])) for one in top.commands]


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith((".", "\\(aq")) else text


def bold(text):
    return f"\\fB{roff(text)}\\fR"


def man_page(command, version, others):
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    title = "bridle" if command.name == "bridle" else f"bridle-{command.name}"
    out = [f'.TH {title.upper()} 1 "{date}" "Bridle {version}" "User Commands"', ".SH NAME",
           f"{roff(title)} \\- {roff(command.summary[0].lower() + command.summary[1:])}", ".SH SYNOPSIS", bold(command.usage)]
    if command.name == "bridle":
        out += [".SH DESCRIPTION", "Finds stationary points of smooth, possibly nonconvex objectives under linear and smooth "
                "constraints, from samples, and has each answer measured by a judge that shares no code with the solver.",
                "Problems come as TOML, LP, MPS or QPS files."]
    for heading, entries in (("ARGUMENTS", command.positionals), ("OPTIONS", command.options), ("COMMANDS", command.commands)):
        if entries:
            out.append(f".SH {heading}")
        for one in entries:
            names = ", ".join(bold(flag) for flag in one.flags)
            out += [".TP", names + (f" \\fI{roff(one.form)}\\fR" if one.form and heading == "OPTIONS" else "")]
            for k, line in enumerate(one.description):
                out += ([".br"] if k else []) + [roff(line)]
    codes = command.footer.removeprefix("Exit codes: ").replace("\n", " ")
    if codes:
        out.append(".SH EXIT STATUS")
        for part in codes.rstrip(".").split("; "):
            code, _, meaning = part.partition(" ")
            out += [".TP", bold(code), roff(meaning)]
    related = ["bridle"] + [f"bridle-{name}" for name in others]
    out += [".SH SEE ALSO", ", ".join(f"{bold(name)}(1)" for name in related if name != title),
            ".PP", "The documentation in /usr/share/doc/bridle\\-doc, where the package bridle\\-doc is installed."]
    return "\n".join(out) + "\n"


def long_flags(command):
    return [(flag, one) for one in command.options for flag in one.flags if flag.startswith("--")]


def takes_file(one):
    return "FILE" in one.form


def bash_completion(commands):
    cases = []
    for c in commands:
        flags = " ".join(flag for flag, _ in long_flags(c))
        values = "".join(f"        {c.name}:{flag}) COMPREPLY=($(compgen -W \"{' '.join(one.choices)}\" -- \"$current\")); return ;;\n"
                         for flag, one in long_flags(c) if one.choices)
        cases.append((c.name, flags, values))
    return ("# Completion of bridle for bash, made from its --help.\n_bridle() {\n"
            '  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n'
            f'  if [[ $COMP_CWORD -eq 1 ]]; then\n    COMPREPLY=($(compgen -W "{" ".join(c.name for c in commands)} --help --version" -- "$current"))\n    return\n  fi\n'
            "  case $command:$previous in\n" + "".join(values for _, _, values in cases) + "  esac\n"
            "  if [[ $current == -* ]]; then\n    case $command in\n" +
            "".join(f'      {name}) COMPREPLY=($(compgen -W "{flags}" -- "$current")) ;;\n' for name, flags, _ in cases) +
            "    esac\n    return\n  fi\n  COMPREPLY=($(compgen -f -- \"$current\"))\n}\ncomplete -o filenames -F _bridle bridle\n")


def quoted(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_completion(commands):
    out = ["#compdef bridle", "# Completion of bridle for zsh, made from its --help.", "_bridle() {",
           "  local -a commands", "  commands=("]
    out += [f"    '{c.name}:{quoted(c.summary)}'" for c in commands]
    out += ["  )", "  if (( CURRENT == 2 )); then", "    _describe command commands", "    return", "  fi", "  local command=$words[2]",
            "  shift words; (( CURRENT-- ))", "  case $command in"]
    for c in commands:
        out.append(f"    {c.name}) _arguments \\")
        for flag, one in long_flags(c):
            action = f":{quoted(one.form or 'value')}:({' '.join(one.choices)})" if one.choices else \
                f":{quoted(one.form)}:_files" if takes_file(one) else f":{quoted(one.form)}:" if one.form else ""
            out.append(f"      '{flag}[{quoted(' '.join(one.description[:1]))}]{action}' \\")
        out += ["      '*:file:_files' ;;"]
    return "\n".join(out + ["  esac", "}", "_bridle \"$@\"", ""])


def fish_completion(commands):
    def text(value):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    out = ["# Completion of bridle for fish, made from its --help.", "complete -c bridle -n __fish_use_subcommand -f"]
    for c in commands:
        out.append(f"complete -c bridle -n __fish_use_subcommand -a {c.name} -d {text(c.summary)}")
        for flag, one in long_flags(c):
            value = f" -x -a {text(' '.join(one.choices))}" if one.choices else " -r" if one.form else ""
            out.append(f"complete -c bridle -n '__fish_seen_subcommand_from {c.name}' -l {flag[2:]}{value} -d {text(' '.join(one.description[:1]))}")
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 4 or sys.argv[2] not in ("man", "completions"):
        sys.exit(__doc__)
    top, commands = read(sys.argv[1])
    folder = pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    if sys.argv[2] == "man":
        version = subprocess.run([sys.argv[1], "--version"], capture_output=True, text=True, check=True).stdout.strip()
        names = [c.name for c in commands]
        (folder / "bridle.1").write_text(man_page(top, version, names))
        for command in commands:
            (folder / f"bridle-{command.name}.1").write_text(man_page(command, version, names))
    else:
        (folder / "bridle.bash").write_text(bash_completion(commands))
        (folder / "_bridle").write_text(zsh_completion(commands))
        (folder / "bridle.fish").write_text(fish_completion(commands))


if __name__ == "__main__":
    main()
