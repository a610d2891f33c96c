import { nearestName } from "../../base/errors/nearest-name.ts";
import type { SyntaxNode } from "./ast.ts";
import { isWord } from "./compute-parser.ts";
import { readExpression } from "./expression-parser.ts";
import { expect, faultAt, take, type TokenCursor, unexpected, unsupportedAt } from "./expression-reader.ts";
import { quoteText } from "./syntax-error.ts";
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
  readonly hierarchy: HierarchySyntax;
  /** The number of levels; null: all. */
  readonly levels: SyntaxNode | null;
  /** The nodes with their own number of levels, as JSON; null: none. */
  readonly expandLevels: Token | null;
  readonly position: number;
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
  const example = `${kind}($root/Nodes,Tree,Id,filter(Id eq 1))`;
  const nodes = readRoot(reader, example);
  expect(reader, ",", `a comma and the qualifier of the hierarchy, as in ${example}`);
  const qualifier = expect(reader, "name", `the qualifier of the hierarchy, as in ${example}`);
  expect(reader, ",", `a comma and the property of the nodes, as in ${example}`);
  const nodeProperty = expect(reader, "name", `the property of the nodes, as in ${example}`);
  expect(reader, ",", `a comma and a step that chooses nodes, as in ${example}`);
  const start = readSteps();
  let distance: SyntaxNode | null = null;
  let keepsStart = false;
  while (reader.token.kind === ",") {
    take(reader);
    if (isWord(reader.token, "keep")) {
      take(reader);
      if (!isWord(reader.token, "start")) throw unexpected(reader, "start after keep");
      take(reader);
      keepsStart = true;
      break;
    }
    if (distance !== null) throw unexpected(reader, "keep start");
    distance = readExpression(reader);
  }
  return { kind, hierarchy: { nodes, qualifier, nodeProperty }, start, distance, keepsStart, position };
}

function readRoot(reader: TokenCursor, example: string): Token {
  if (!isWord(reader.token, "$root")) throw unexpected(reader, `$root and the entity set, as in ${example}`);
  take(reader);
  expect(reader, "/", `a slash and the entity set, as in ${example}`);
  return expect(reader, "name", `the entity set, as in ${example}`);
}

const PARAMETERS = ["HierarchyNodes", "HierarchyQualifier", "NodeProperty", "Levels", "ExpandLevels"] as const;
type ParameterName = (typeof PARAMETERS)[number];

/** The parameters of later versions of the function. */
const FURTHER_PARAMETERS: ReadonlySet<string> = new Set(["Expand", "Show", "Collapse"]);

const EXAMPLE = "TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='Id',Levels=1)";

/**
 * Reads the parameters of `TopLevels`, in any order.
 * @throws ODataError 400 as readRelatives; `UnsupportedQueryOption` for parameters of later versions
 */
export function readTopLevels(reader: TokenCursor, position: number): TopLevelsSyntax {
  const found = new Map<ParameterName, Token>();
  let levels: SyntaxNode | null = null;
  do {
    if (found.size > 0) take(reader);
    const name = readParameterName(reader);
    if (found.has(name)) throw faultAt(reader, reader.token, `the parameter ${name} appears twice.`);
    expect(reader, "=", `"=" after ${name}`);
    if (name === "HierarchyNodes") found.set(name, readRoot(reader, EXAMPLE));
    else {
      found.set(name, reader.token);
      if (name === "Levels") levels = readExpression(reader);
      else if (name === "ExpandLevels") readList(reader);
      else expect(reader, "name", `a name in single quotes, as in ${EXAMPLE}`);
    }
  } while (reader.token.kind === ",");
  const hierarchy = {
    nodes: found.get("HierarchyNodes") ?? null,
    qualifier: found.get("HierarchyQualifier") ?? null,
    nodeProperty: found.get("NodeProperty") ?? null,
  };
  return { kind: "topLevels", hierarchy, levels, expandLevels: found.get("ExpandLevels") ?? null, position };
}

function readParameterName(reader: TokenCursor): ParameterName {
  const { token } = reader;
  if (token.kind !== "name") throw unexpected(reader, `a parameter, as in ${EXAMPLE}`);
  const name = PARAMETERS.find((each) => each === token.text);
  if (name !== undefined) {
    take(reader);
    return name;
  }
  if (FURTHER_PARAMETERS.has(token.text)) {
    throw unsupportedAt(reader, token, `the parameter ${token.text} is not supported. Write ExpandLevels.`);
  }
  const nearest = nearestName(token.text, PARAMETERS);
  const advice = nearest === null ? `The parameters are ${PARAMETERS.join(", ")}.` : `Write ${nearest}.`;
  throw faultAt(reader, token, `${quoteText(token.text)} is not a parameter of TopLevels. ${advice}`);
}

/** Reads a list of objects, or an empty list. */
function readList(reader: TokenCursor): void {
  if (reader.token.kind !== "[") {
    expect(reader, "json", 'a list, as in ExpandLevels=[{"NodeID":"1","Levels":1}]');
    return;
  }
  take(reader);
  expect(reader, "]", 'objects, as in ExpandLevels=[{"NodeID":"1","Levels":1}]');
}
