import type { SyntaxNode } from "./ast.ts";
import { isWord } from "./compute-parser.ts";
import { readExpression } from "./expression-parser.ts";
import { expect, take, type TokenCursor, unexpected } from "./expression-reader.ts";
import type { Token } from "./token.ts";

/** The hierarchy that a step names, as written; null: it does not name the part. */
export interface HierarchySyntax {
  /** The name of the set after `$root/`. */
  readonly nodes: Token | null;
  readonly qualifier: Token | null;
  readonly nodeProperty: Token | null;
}

/** `ancestors($root/Nodes,Tree,Id,filter(…),2,keep start)` and `descendants(…)`. */
export interface RelativesSyntax<Step> {
  readonly kind: "ancestors" | "descendants";
  readonly hierarchy: HierarchySyntax;
  /** The steps that choose the nodes from which the relatives are found. */
  readonly start: readonly Step[];
  /** The greatest number of levels between a node and its relatives; null: any. */
  readonly distance: SyntaxNode | null;
  /** Whether the nodes themselves remain. */
  readonly keepsStart: boolean;
  readonly position: number;
}

/** `com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,…)`. */
export interface TopLevelsSyntax {
  readonly kind: "topLevels";
  /** In their order, with any names. */
  readonly parameters: readonly HierarchyParameter[];
  readonly position: number;
}

/** A parameter with its name. */
export interface HierarchyParameter {
  readonly name: Token;
  /** A name, also that of the set after `$root/`; JSON; or the first token of an expression. */
  readonly value: Token;
  /** Null for a name and for JSON. */
  readonly expression: SyntaxNode | null;
}

/**
 * Reads the content of the parentheses of `ancestors` and `descendants`.
 * @param readSteps reads the steps within the fourth parameter
 * @throws ODataError 400 with position, what was found and what was expected
 * @see OData Aggregation 4.0, section 6.2.1
 */
export function readRelatives<Step>(
  reader: TokenCursor,
  kind: RelativesSyntax<Step>["kind"],
  position: number,
  readSteps: () => readonly Step[],
): RelativesSyntax<Step> {
  const comma = (): Token => expect(reader, ",", `a comma, as in ${kind}($root/Nodes,Tree,Id,filter(Id eq 1))`);
  const nodes = readRoot(reader);
  comma();
  const qualifier = readName(reader);
  comma();
  const nodeProperty = readName(reader);
  comma();
  const start = readSteps();
  let distance: SyntaxNode | null = null;
  let keepsStart = false;
  while (reader.token.kind === "," && !keepsStart) {
    take(reader);
    if (isWord(reader.token, "keep")) {
      take(reader);
      if (!isWord(reader.token, "start")) throw unexpected(reader, "start after keep");
      take(reader);
      keepsStart = true;
    } else if (distance === null) distance = readExpression(reader);
    else throw unexpected(reader, "keep start");
  }
  return { kind, hierarchy: { nodes, qualifier, nodeProperty }, start, distance, keepsStart, position };
}

function readRoot(reader: TokenCursor): Token {
  if (!isWord(reader.token, "$root")) throw unexpected(reader, "$root/Nodes");
  take(reader);
  expect(reader, "/", "/");
  return readName(reader);
}

function readName(reader: TokenCursor): Token {
  return expect(reader, "name", "a name");
}

/** Reads the parameters of `TopLevels`. @throws ODataError 400 as readRelatives */
export function readTopLevels(reader: TokenCursor, position: number): TopLevelsSyntax {
  const parameters: HierarchyParameter[] = [];
  do {
    if (parameters.length > 0) take(reader);
    const name = readName(reader);
    expect(reader, "=", "=");
    parameters.push({ name, ...readValue(reader) });
  } while (reader.token.kind === ",");
  return { kind: "topLevels", parameters, position };
}

function readValue(reader: TokenCursor): Pick<HierarchyParameter, "value" | "expression"> {
  const { token } = reader;
  if (isWord(token, "$root")) return { value: readRoot(reader), expression: null };
  if (token.kind === "[") {
    take(reader);
    expect(reader, "]", "]");
    return { value: token, expression: null };
  }
  if (token.kind === "json" || token.kind === "name") return { value: take(reader), expression: null };
  return { value: token, expression: readExpression(reader) };
}
