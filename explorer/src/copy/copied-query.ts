import { toRequestTarget } from "../query/option-text.ts";

/** The query that a snippet repeats. */
export interface CopiedQuery {
  /** The absolute URL of the service, with a slash at its end. */
  readonly root: string;
  readonly path: string;
  readonly options: ReadonlyMap<string, string>;
  /** Of the request, its credentials included: snippets have placeholders instead of these. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The languages in which a query is copied, by their names in the menu. */
export const COPY_FORMS = {
  "curl (bash)": (query) => curlCommand(query, "curl", "\\", (text) => text.replaceAll("'", String.raw`'\''`)),
  // PowerShell takes typographic quotes for single quotes, too.
  "curl (PowerShell)": (query) =>
    curlCommand(query, "curl.exe", "`", (text) => text.replaceAll(/['\u2018-\u201B]/gu, "$&$&")),
  fetch: (query) => fetchStatements(JSON.stringify(urlOf(query)), query),
  "Power Query M": powerQuery,
  "UI5 binding": ui5Binding,
  "odata-query": buildQueryCall,
} as const satisfies Readonly<Record<string, (query: CopiedQuery) => string>>;

/** Within single quotes, shells expand nothing: `$`, `!` and backslashes are themselves. */
function curlCommand(query: CopiedQuery, program: string, lineEnd: string, escape: (text: string) => string): string {
  const headers = Object.entries(headersOf(query)).map(([name, value]) => `${name}: ${value}`);
  const quoted = [urlOf(query), ...headers].map((each) => `'${escape(each)}'`);
  return `${program} ${quoted.join(` ${lineEnd}\n  -H `)}`;
}

function fetchStatements(url: string, query: CopiedQuery): string {
  return `const response = await fetch(${url}, ${toJavaScript({ headers: headersOf(query) })});
if (!response.ok) throw new Error(await response.text());
const result = await response.${readsText(query) ? "text" : "json"}();
`;
}

/** Excel and Power BI ask for the credentials themselves. @see https://learn.microsoft.com/powerquery-m/odata-feed */
function powerQuery(query: CopiedQuery): string {
  const url = `"${urlOf(query).replaceAll("#(", "#(#)(").replaceAll('"', '""')}"`;
  const feed = `OData.Feed(${url}, null, [Implementation = "2.0"])`;
  const source = readsText(query) ? `Text.FromBinary(Web.Contents(${url}))` : feed;
  return `let\n  Source = ${source}\nin\n  Source\n`;
}

/** @see https://sdk.openui5.org/api/sap.ui.model.odata.v4.ODataModel%23methods/bindList */
function ui5Binding({ root, path, options }: CopiedQuery): string {
  const { $top, $skip, ...others } = Object.fromEntries(options);
  const isRefused = /^\$(?!(?:apply|count|expand|filter|orderby|search|select)$)/u;
  const refused = Object.keys(others).filter((name) => isRefused.test(name));
  const parameters = Object.entries(others)
    .filter(([name]) => !isRefused.test(name))
    .map(([name, value]) => [name, name === "$count" ? value === "true" : value] as const);
  const isEntity = path.endsWith(")");
  const size = isEntity ? {} : { startIndex: numberIn($skip), length: numberIn($top) };
  const binding = { path: `/${path}`, parameters: Object.fromEntries(parameters), ...size };
  // A name from a link may end the line, and so the comment.
  const note = refused.length === 0 ? "" : `// Bindings of UI5 do not accept ${refused.map(encodeURI).join(", ")}.\n`;
  return `${note}// The model: new ODataModel({ serviceUrl: ${JSON.stringify(root)}, autoExpandSelect: false })
const binding = ${toJavaScript(binding)};
${isEntity ? "page.bindElement(binding)" : "list.bindItems({ ...binding, template })"};
`;
}

/** The options of `buildQuery`; undefined for a value that it cannot express. */
const BUILT: Readonly<Record<string, (value: string) => string | number | true | undefined>> = {
  filter: encodeReserved,
  // The package takes a slash for a nested expansion.
  expand: (value) => encodeReserved(value).replaceAll("/", "%2F"),
  select: encodeReserved,
  orderBy: encodeReserved,
  search: String,
  top: numberIn,
  skip: numberIn,
  count: (value) => (value === "true" ? true : undefined),
};

/** Options that the package cannot express follow as text. @see https://www.npmjs.com/package/odata-query */
function buildQueryCall(query: CopiedQuery): string {
  const built = Object.entries(BUILT).flatMap(([name, toValue]) => {
    const option = `$${name.toLowerCase()}`;
    const value = toValue(query.options.get(option) ?? "") ?? "";
    return value === "" ? [] : [{ name, option, value }];
  });
  const rest = [...query.options].filter(([option]) => built.every((each) => each.option !== option));
  const members = Object.fromEntries(built.map(({ name, value }) => [name, value]));
  const url = JSON.stringify(urlOf({ ...query, options: new Map() }));
  const call = built.length === 0 ? "" : ` + buildQuery(${toJavaScript(members)})`;
  const text = toRequestTarget({ path: "", options: new Map(rest) }).replace("?", call === "" ? "?" : "&");
  return `import buildQuery from "odata-query";

const url = ${url}${call}${text === "" ? "" : ` + ${JSON.stringify(text)}`};
${fetchStatements("url", query)}`;
}

/** The package leaves most texts as they are; a URL reserves some of their characters. */
function encodeReserved(text: string): string {
  return text.replaceAll(/[%&#+\p{Cc}]/gu, encodeURIComponent);
}

function urlOf({ root, path, options }: CopiedQuery): string {
  return root + toRequestTarget({ path, options });
}

/** All headers but `Accept` may be credentials, which become placeholders. */
function headersOf({ headers }: CopiedQuery): Readonly<Record<string, string>> {
  const hide = (value: string): string => value.replace(/^(Basic |Bearer )?.*$/su, "$1YOUR_SECRET");
  const shown = Object.entries(headers).map(
    ([name, value]) => [name, name === "Accept" ? value : hide(value)] as const,
  );
  return Object.fromEntries(shown);
}

/** Returns whether a query reads a text, such as a number of entities, instead of JSON. */
function readsText({ path }: CopiedQuery): boolean {
  return /\/\$(?:count|value)$/u.test(path);
}

function numberIn(text = ""): number | undefined {
  return /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
}

/** Writes an object as an expression of JavaScript: members without quotes where they need none. */
function toJavaScript(value: object): string {
  return JSON.stringify(value, null, 2).replaceAll(/^( +)"([A-Za-z_$][\w$]*)":/gmu, "$1$2:");
}
