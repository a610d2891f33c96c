import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import ts from "typescript";

/** A declaration with a name, as the compiler wrote it. */
export type Declaration =
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.VariableStatement;

/** An exported name with its declarations: a function has one for each overload. */
export interface Exported {
  readonly name: string;
  readonly declarations: readonly Declaration[];
}

/** Reads declaration files and follows their imports and exports; each file is parsed once. */
export class DeclarationFiles {
  readonly #files = new Map<string, ts.SourceFile>();

  /** Returns the exports of a file in the order in which it lists them. */
  exportsOf(file: string): readonly Exported[] {
    return this.#parse(file).statements.flatMap((statement) => {
      if (ts.isExportDeclaration(statement)) return this.#reexports(file, statement);
      if (!isDeclaration(statement) || !isExported(statement)) return [];
      const name = nameOf(statement);
      return [{ name, declarations: this.find(file, name) }];
    });
  }

  /** Finds the declarations of a name that a file uses; empty where a package or the language declares it. */
  find(file: string, name: string): readonly Declaration[] {
    const { statements } = this.#parse(file);
    const own = statements.filter(isDeclaration).filter((statement) => nameOf(statement) === name);
    if (own.length > 0) return own;
    for (const statement of statements) {
      const found = importedName(statement, name);
      const from = found === undefined ? undefined : sourceOf(file, statement);
      if (found !== undefined && from !== undefined) return this.find(from, found);
    }
    return [];
  }

  #reexports(file: string, statement: ts.ExportDeclaration): readonly Exported[] {
    const { exportClause } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
    const from = sourceOf(file, statement) ?? file;
    return exportClause.elements.map((element) => {
      const declarations = this.find(from, (element.propertyName ?? element.name).text);
      if (declarations.length === 0) throw new Error(`${file} exports ${element.name.text}, which nothing declares.`);
      return { name: element.name.text, declarations };
    });
  }

  #parse(file: string): ts.SourceFile {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const parsed = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
    this.#files.set(file, parsed);
    return parsed;
  }
}

/** Returns the name of a declaration. */
export function nameOf(declaration: Declaration): string {
  if (!ts.isVariableStatement(declaration)) return declaration.name?.text ?? "";
  return declaration.declarationList.declarations[0]?.name.getText() ?? "";
}

function isDeclaration(node: ts.Node): node is Declaration {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isVariableStatement(node)
  );
}

function isExported(node: Declaration): boolean {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** Returns the name under which another file declares an imported or re-exported name. */
function importedName(statement: ts.Statement, name: string): string | undefined {
  const named = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : ts.isExportDeclaration(statement)
      ? statement.exportClause
      : undefined;
  if (named === undefined || !(ts.isNamedImports(named) || ts.isNamedExports(named))) return undefined;
  for (const element of named.elements) {
    if (element.name.text === name) return (element.propertyName ?? element.name).text;
  }
  return undefined;
}

/** Returns the declaration file that an import or export names; undefined for packages. */
function sourceOf(file: string, statement: ts.Statement): string | undefined {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return undefined;
  const specifier = statement.moduleSpecifier;
  if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return undefined;
  const path = resolve(dirname(file), specifier.text.replace(/\.(?:ts|js)$/u, ".d.ts"));
  return existsSync(path) ? path : undefined;
}
