import { isODataError } from "../../../src/base/errors/odata-error.ts";
import type { EnumType } from "../../../src/edm/model.ts";
import { PRIMITIVE_TYPE_NAMES, PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../../src/edm/primitive-type.ts";
import { InvalidValueError } from "../../../src/edm/value-codec.ts";
import { valueCodec } from "../../../src/edm/value-codecs.ts";
import { checkMaxVersion } from "../../../src/http/base-url.ts";
import { readPreferences } from "../../../src/http/headers.ts";
import { checkFormatOption } from "../../../src/http/media-type.ts";
import { parseExpression } from "../../../src/language/syntax/expression-parser.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import { parseOrderBy } from "../../../src/language/syntax/order-by-parser.ts";
import type { ParseContext } from "../../../src/language/syntax/parse-context.ts";
import { parseKeyPredicate, parseResourcePath } from "../../../src/language/syntax/path-parser.ts";
import {
  parseBoolean,
  parseNonNegativeInteger,
  parseQueryOptions,
  parseQueryString,
  splitTarget,
} from "../../../src/language/syntax/query-options-parser.ts";
import { parseSearch } from "../../../src/language/syntax/search-parser.ts";
import { parseExpand, parseSelect } from "../../../src/language/syntax/select-expand-parser.ts";
import { isIdentifier, type Literal } from "../../../src/language/syntax/token.ts";
import { parseContext } from "../syntax/parsing.ts";
import type { AbnfCase, AbnfModel } from "./abnf-case.ts";

/** Why an input was refused. */
class Refusal extends Error {}

/** The service roots of the suite's absolute URLs. */
const SERVICE_ROOTS = ["/OData/OData.svc/", "/MyService/", "/service/", "/"];
/** Path segments with `$` that OData 4.0 has. */
const SYSTEM_SEGMENTS = new Set("$metadata $batch $entity $all $crossjoin $count $ref $value".split(" "));
/** Options whose values are not parsed here. */
const OPAQUE_OPTIONS = new Set(["$skiptoken", "$deltatoken", "$id"]);

const PATTERN: EnumType = {
  kind: "EnumType",
  name: "Pattern",
  qualifiedName: "Sales.Pattern",
  isFlags: true,
  members: new Map([
    ["Solid", 1],
    ["Yellow", 2],
    ["Striped", 8],
    ["Dotted", 32],
  ]),
};

/**
 * Runs a case through the parser or codec of its rule.
 * @returns null for accepted input, otherwise the reason of the refusal. It throws any other error, which is a defect
 */
export function refusalOf(abnfCase: AbnfCase, model: AbnfModel): string | null {
  try {
    run(abnfCase, model);
    return null;
  } catch (error) {
    if (error instanceof Refusal || error instanceof InvalidValueError || isODataError(error)) return error.message;
    throw error;
  }
}

function run({ kind, rule, input }: AbnfCase, model: AbnfModel): void {
  switch (kind) {
    case "url":
      runUrl(rule, input, model);
      break;
    case "queryOption":
      runQueryOption(rule, input);
      break;
    case "expression":
      runExpression(rule, input);
      break;
    case "urlLiteral":
      runUrlLiteral(rule, input);
      break;
    case "bodyLiteral":
      runBodyLiteral(rule, input);
      break;
    case "header":
      runHeader(rule, input);
      break;
    case "contextUrl":
      throw new Refusal("Context URLs are not read.");
  }
}

function runUrl(rule: string, input: string, model: AbnfModel): void {
  const { path, query } = splitTarget(input);
  const root = rule === "odataUri" ? (SERVICE_ROOTS.find((start) => path.startsWith(start)) ?? "") : "";
  const { aliases } = parseQueryOptions(query);
  const context = { ...parseContext(), aliases };
  for (const { name, parentheses } of parseResourcePath(path.slice(root.length))) {
    if (name.startsWith("$") && !SYSTEM_SEGMENTS.has(name)) throw new Refusal(`4.0 has no segment ${name}.`);
    if (parentheses === undefined || name === "$crossjoin") continue;
    const simpleName = name.slice(name.lastIndexOf(".") + 1);
    const isFunction = Object.entries(model).some(
      ([kind, names]) => /function/iu.test(kind) && names.includes(simpleName),
    );
    parseKeyPredicate(parentheses, context, { target: isFunction || parentheses === "" ? name : "key" });
  }
  runQuery(query);
}

function runQueryOption(rule: string, input: string): void {
  if (rule !== "queryOptions" && rule !== "customQueryOption") {
    const { system } = parseQueryOptions(input);
    if (system.size !== 1) throw new Refusal("It is no system query option.");
    if (rule !== "systemQueryOption" && !system.has(`$${rule.toLowerCase()}`)) throw new Refusal(`It is not $${rule}.`);
  }
  runQuery(input);
}

function runQuery(query: string): void {
  const { system, aliases } = parseQueryOptions(query);
  const context: ParseContext = { ...parseContext(), aliases };
  for (const [name, value] of aliases) parseExpression(tokenize(value, context, name), context);
  for (const [name, value] of system) runSystemOption(name, value, context);
}

function runSystemOption(name: string, value: string, context: ParseContext): void {
  switch (name) {
    case "$filter":
      parseExpression(tokenize(value, context, name), context);
      break;
    case "$orderby":
      parseOrderBy(tokenize(value, context, name), context);
      break;
    case "$top":
    case "$skip":
      parseNonNegativeInteger(value, name);
      break;
    case "$count":
      parseBoolean(value, name);
      break;
    case "$search":
      parseSearch(value, context);
      break;
    case "$select":
      parseSelect(value, context);
      break;
    case "$expand":
      parseExpand(value, context);
      break;
    case "$format":
      checkFormatOption(value);
      break;
    default:
      if (!OPAQUE_OPTIONS.has(name)) throw new Refusal(`${name} is not offered.`);
  }
}

function runExpression(rule: string, input: string): void {
  const [pair] = parseQueryString(`x=${input}`);
  const text = pair?.value ?? "";
  const context = parseContext();
  const path = rule === "anyExpr" || rule === "allExpr" ? "Items/" : "";
  parseExpression(tokenize(path + text, context, "$filter"), context);
}

/** The types of rules that do not have the name of their type. */
const LITERAL_TYPES: Readonly<Record<string, ReadonlyArray<Literal["type"]>>> = {
  sbyteLiteral: ["Edm.Int32"],
  int16Literal: ["Edm.Int32"],
  int32Literal: ["Edm.Int32"],
  int64Literal: ["Edm.Int32", "Edm.Int64"],
  enumLiteral: ["enum", "Edm.String"],
};

function runUrlLiteral(rule: string, input: string): void {
  const text = decodeURIComponent(input);
  if (rule === "odataIdentifier") {
    if (!isIdentifier(text)) throw new Refusal("It is not an identifier.");
    return;
  }
  const context = parseContext();
  const { tokens } = tokenize(text, context, "$filter");
  const [token] = tokens;
  if (token === undefined || tokens.length > 1) throw new Refusal("It is not one literal.");
  if (rule === "null") {
    if (token.kind !== "null") throw new Refusal("It is not null.");
    return;
  }
  const { literal } = token;
  if (literal === null) throw new Refusal("It is no literal.");
  if (rule !== "primitiveLiteral" && !typesOfRule(rule).includes(literal.type)) {
    throw new Refusal(`It is a literal of ${literal.type}.`);
  }
  if (literal.type === "enum" || rule === "enumLiteral") valueCodec(PATTERN).fromText(literal.text);
  else if (literal.type !== "geo") valueCodec(PRIMITIVE_TYPES[literal.type]).fromText(literal.text);
}

function typesOfRule(rule: string): ReadonlyArray<Literal["type"]> {
  return LITERAL_TYPES[rule] ?? (rule.startsWith("geo") ? ["geo"] : [typeOfRule(rule)]);
}

/** `dateTimeOffsetLiteral` → `Edm.DateTimeOffset`. */
function typeOfRule(rule: string): PrimitiveTypeName {
  const name = rule.replace(/(?:Value|Literal)$/u, "").toLowerCase();
  const type = PRIMITIVE_TYPE_NAMES.find((known) => known.toLowerCase() === `edm.${name}`);
  if (type === undefined) throw new Error(`No type for the rule ${rule}.`);
  return type;
}

function runBodyLiteral(rule: string, input: string): void {
  if (rule === "enumValue") {
    valueCodec(PATTERN).fromJson(input, false);
  } else if (rule === "primitiveValue") {
    if (PRIMITIVE_TYPE_NAMES.every((name) => name === "Edm.String" || !isValue(name, input))) {
      throw new Refusal("It is a value of no type.");
    }
  } else {
    valueCodec(PRIMITIVE_TYPES[typeOfRule(rule)]).fromText(input);
  }
}

function isValue(name: PrimitiveTypeName, text: string): boolean {
  try {
    valueCodec(PRIMITIVE_TYPES[name]).fromText(text);
    return true;
  } catch (error) {
    if (error instanceof InvalidValueError) return false;
    throw error;
  }
}

function runHeader(rule: string, input: string): void {
  if (rule.toLowerCase().includes("prefer")) {
    runPreference(input.replace(/^Prefer: /u, ""));
    return;
  }
  const [, name = "", value = ""] = /^([^:]*):(.*)$/su.exec(input) ?? [];
  const isRead = rule === "header" && name.toLowerCase() === "odata-maxversion";
  if (!isRead) throw new Refusal("The service does not read it.");
  checkMaxVersion(value);
}

/** Preferences are never refused: an invalid preference has no effect. */
function runPreference(header: string): void {
  const { maxPageSize, return: returns } = readPreferences(header);
  if (maxPageSize === undefined && returns === undefined) throw new Refusal("It has no effect.");
}
