"""Random instances of network slicing, and a simple judge of plans that shares no code with the program."""
import tomllib

TOLERANCE = 1e-6  # the program's own


def random_instance(rng):
    """Some in pieces, some with one-way streets, some with rates of any size; TOML text."""
    nodes, functions = rng.randint(2, 9), [f"f{k}" for k in range(rng.randint(1, 4))]
    unit = rng.choice([1, 1, 1, 1e-9, 1e9, 1e12])
    out = []
    for i in range(nodes):
        hosted = [f for f in functions if rng.random() < 0.6]
        out.append(f'[[node]]\nname = "n{i}"\n' + (f"capacity = {unit * rng.uniform(1, 12)}\nfunctions = {hosted}\n" if hosted else ""))
    for i in range(nodes):
        for j in range(i):
            if rng.random() < 0.45:
                ways = "true" if rng.random() < 0.7 else "false"
                out.append(f'[[link]]\nfrom = "n{i}"\nto = "n{j}"\ncapacity = {unit * rng.uniform(0, 9)}\nboth_ways = {ways}\n')
    for _ in range(rng.randint(1, 6)):
        source, target = rng.sample(range(nodes), 2)
        chain = rng.sample(functions, rng.randint(0, len(functions)))
        out.append(f'[[flow]]\nfrom = "n{source}"\nto = "n{target}"\nrate = {unit * rng.uniform(0.1, 3)}\nchain = {chain}\n')
    return "\n".join(out).replace("'", '"')


def complaints(path, result):
    """What is wrong with a plan that the program calls feasible."""
    if result["status"] != "feasible":
        return []
    instance = tomllib.loads(path.read_text())
    capacity = {}
    for link in instance["link"]:
        for ends in [(link["from"], link["to"])] + ([(link["to"], link["from"])] if link["both_ways"] else []):
            capacity[ends] = capacity.get(ends, 0) + link["capacity"]
    hosts = {node["name"]: node for node in instance["node"]}
    load, used, cost, out = {}, {}, 0, []
    for flow, answer in zip(instance["flow"], result["flows"], strict=True):
        chosen = answer["hosts"]
        if len(set(chosen)) != len(chosen) or len(chosen) != len(flow["chain"]):
            out.append(f"{answer}: not one node for each function")
        for function, node in zip(flow["chain"], chosen):
            if function not in hosts[node].get("functions", []):
                out.append(f"{node} does not offer {function}")
            used[node] = used.get(node, 0) + flow["rate"]
        stops = [flow["from"], *chosen, flow["to"]]
        for start, end, leg in zip(stops[:-1], stops[1:], answer["legs"], strict=True):
            routes = leg["routes"]
            if start != end and abs(sum(r["rate"] for r in routes) - flow["rate"]) > TOLERANCE * flow["rate"]:
                out.append("routes that do not add up")
            for route in routes:
                way = route["nodes"]
                if way[0] != start or way[-1] != end:
                    out.append(f"a route from {way[0]} to {way[-1]}, not from {start} to {end}")
                for step in zip(way, way[1:]):
                    if step not in capacity:
                        out.append(f"a route over {step}, which is no link")
                    load[step] = load.get(step, 0) + route["rate"]
                    cost += route["rate"]
    out += [f"link {k} carries {v} of {capacity[k]}" for k, v in load.items() if k in capacity and v > capacity[k] * (1 + TOLERANCE)]
    out += [f"node {k} runs {v}" for k, v in used.items() if v > hosts[k].get("capacity", 0) * (1 + TOLERANCE)]
    if abs(cost - result["cost"]) > TOLERANCE * max(cost, result["cost"]):
        out.append(f"cost {result['cost']}, not {cost}")
    return out
