import ts from "typescript";
import { slugify } from "../markdown.ts";
import { type Declaration, type DeclarationFiles, type Exported, nameOf } from "./declarations.ts";
import { type DocComment, docCommentOf } from "./doc-comment.ts";

/** An entry point of the package and its exports. */
export interface EntryPoint {
  /** The module that applications import, such as `odatakit/node`. */
  readonly module: string;
  /** The page, such as `node`. */
  readonly page: string;
  readonly introduction: string;
  readonly exports: readonly Exported[];
}

/** Where the pages describe the exported names. */
export interface Targets {
  /** The page and anchor of each exported name. */
  readonly links: ReadonlyMap<string, string>;
  /** The exported names of declarations that have another name inside the package. */
  readonly exportedNames: ReadonlyMap<string, string>;
}

const SECTIONS: readonly (readonly [title: string, holds: (declaration: Declaration) => boolean])[] = [
  ["Functions", ts.isFunctionDeclaration],
  ["Constants", ts.isVariableStatement],
  ["Classes", ts.isClassDeclaration],
  ["Types", (node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)],
];

/** Collects where the pages describe each exported name. */
export function targetsOf(entries: readonly EntryPoint[]): Targets {
  const links = new Map<string, string>();
  const exportedNames = new Map<string, string>();
  for (const { page, exports } of entries) {
    for (const { name, declarations } of exports) {
      links.set(name, `${page}.md#${slugify(name)}`);
      for (const declaration of declarations) exportedNames.set(nameOf(declaration), name);
    }
  }
  return { links, exportedNames };
}

/** Writes the page of an entry point in Markdown. */
export function writePage(entry: EntryPoint, targets: Targets, files: DeclarationFiles): string {
  const sections = SECTIONS.flatMap(([title, holds]) => {
    const exports = entry.exports.filter(({ declarations: [first] }) => first !== undefined && holds(first));
    return exports.length === 0
      ? []
      : [`## ${title}`, ...exports.flatMap((exported) => writeExport(exported, targets, files))];
  });
  return [`# ${entry.module}`, entry.introduction, ...sections, ""].join("\n\n");
}

function writeExport(exported: Exported, targets: Targets, files: DeclarationFiles): readonly string[] {
  const { name, declarations } = exported;
  const lines = [`### \`${name}\``];
  const documented = declarations.map(docCommentOf).find(({ text }) => text !== "");
  if (documented !== undefined) lines.push(documented.text);
  lines.push(fence(declarations.map((declaration) => signatureOf(declaration, targets)).join("\n")));
  for (const declaration of declarations) lines.push(...writeMembers(declaration, files, targets));
  if (documented !== undefined) lines.push(...writeTags(documented));
  const used = namesIn(declarations, targets).filter((each) => each !== name);
  if (used.length > 0)
    lines.push(`Types: ${used.map((each) => `[\`${each}\`](${targets.links.get(each) ?? ""})`).join(", ")}`);
  return lines;
}

/** Returns the text of a declaration without its doc comments; members are listed below it. */
function signatureOf(declaration: Declaration, targets: Targets): string {
  const text = withExportedNames(withoutComments(declaration).replace(/^export (?:declare )?/u, ""), targets);
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return text;
  return text.slice(0, text.indexOf("{")).trim();
}

/** Replaces names inside the package by the names that applications import. */
function withExportedNames(text: string, { exportedNames }: Targets): string {
  return text.replaceAll(/\b[A-Za-z]\w*\b/gu, (name) => exportedNames.get(name) ?? name);
}

function withoutComments(node: ts.Node): string {
  return node
    .getText()
    .replaceAll(/\/\*\*[\s\S]*?\*\/\n?/gu, "")
    .replaceAll(/^\s*\n/gmu, "")
    .replaceAll(/^(?: {4})+/gmu, (indent) => " ".repeat(indent.length / 2));
}

/** Lists the members of an interface, of a class, or of the interface that an alias names. */
function writeMembers(declaration: Declaration, files: DeclarationFiles, targets: Targets): readonly string[] {
  const items = membersOf(declaration, files).map((member) => {
    const text = withExportedNames(withoutComments(member), targets)
      .replace(/;$/u, "")
      .replaceAll(/\s*\n\s*/gu, " ");
    const { text: says } = docCommentOf(member);
    return `- \`\`${text}\`\`${says === "" ? "" : `  \n  ${says.replaceAll("\n", "\n  ")}`}`;
  });
  return items.length === 0 ? [] : [items.join("\n")];
}

function membersOf(declaration: Declaration, files: DeclarationFiles): readonly ts.Node[] {
  if (ts.isTypeAliasDeclaration(declaration)) {
    const { type } = declaration;
    if (!ts.isTypeReferenceNode(type) || type.typeArguments !== undefined) return [];
    return files
      .find(declaration.getSourceFile().fileName, type.typeName.getText())
      .flatMap((each) => membersOf(each, files));
  }
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return [];
  const inherited = (declaration.heritageClauses ?? [])
    .flatMap(({ types }) => types)
    .flatMap(({ expression }) => files.find(declaration.getSourceFile().fileName, expression.getText()))
    .flatMap((each) => membersOf(each, files));
  return [...[...declaration.members].filter(isPublic), ...inherited];
}

function isPublic(member: ts.Node): boolean {
  const { name } = member as { readonly name?: ts.Node };
  return !(name !== undefined && (ts.isPrivateIdentifier(name) || name.getText().startsWith("[")));
}

function writeTags({ parameters, returns, throws, see }: DocComment): readonly string[] {
  const list = [...parameters].map(([name, text]) => `- \`${name}\`: ${text}`);
  return [
    ...(list.length > 0 ? [list.join("\n")] : []),
    ...(returns === "" ? [] : [`**Returns** ${returns}`]),
    ...throws.map((text) => `**Throws** ${text}`),
    ...(see.length > 0 ? [`**See** ${see.map(linkPage).join("; ")}`] : []),
  ];
}

/** Makes a link of a path such as `docs/reference/paging.md`. */
function linkPage(text: string): string {
  return text.replaceAll(
    /docs\/(?<page>[\w/-]+)\.md(?:, (?<section>[^;,.]+))?/gu,
    (_match, page: string, section?: string) => {
      const hash = section === undefined ? "" : `#${slugify(section)}`;
      return `[${section ?? page}](../../docs/${page}.md${hash})`;
    },
  );
}

/** Lists the exported names that declarations mention, each once. */
function namesIn(declarations: readonly Declaration[], targets: Targets): readonly string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const name = ts.isTypeReferenceNode(node) ? targets.exportedNames.get(node.typeName.getText()) : undefined;
    if (name !== undefined) found.add(name);
    ts.forEachChild(node, visit);
  };
  for (const declaration of declarations) visit(declaration);
  return [...found].toSorted();
}

function fence(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``;
}
