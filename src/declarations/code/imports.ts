import { fitsLine, stringLiteral } from "./layout.ts";

/** The names that a module imports, by the module they come from. */
export class Imports {
  readonly #names = new Map<string, Set<string>>();
  readonly #own: string;

  /** @param own the path of the module itself, whose names it does not import */
  constructor(own: string) {
    this.#own = own;
  }

  /** Notes that the module uses a name. @returns the name */
  use(name: string, from: string): string {
    if (from === this.#own) return name;
    const names = this.#names.get(from) ?? new Set();
    this.#names.set(from, names.add(name));
    return name;
  }

  /** Returns the import statements: built-in modules, packages, then own modules, each in the order of their paths. */
  text(): string {
    const paths = [...this.#names.keys()].toSorted(
      (left, right) => rank(left) - rank(right) || (left < right ? -1 : 1),
    );
    return paths.map((path) => statementOf([...(this.#names.get(path) ?? [])].toSorted(), path)).join("");
  }
}

function rank(path: string): number {
  if (path.startsWith("node:")) return 0;
  return path.startsWith(".") ? 2 : 1;
}

function statementOf(names: readonly string[], path: string): string {
  const from = stringLiteral(path);
  // A default import, such as that of `node:process`.
  const [first = ""] = names;
  if (first.startsWith("default ")) return `import ${first.slice("default ".length)} from ${from};\n`;
  const single = `import { ${names.join(", ")} } from ${from};`;
  const isShort = fitsLine(single) || names.length === 1;
  return isShort ? `${single}\n` : `import {\n${names.map((name) => `  ${name},\n`).join("")}} from ${from};\n`;
}
