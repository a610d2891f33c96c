import { type CopiedQuery, serviceRoot } from "./copied-query.ts";
import { keyOf } from "./javascript-text.ts";

/** The options that bindings of UI5 accept. @see https://sdk.openui5.org/api/sap.ui.model.odata.v4.ODataModel%23methods/bindList */
const BINDING_OPTIONS: ReadonlySet<string> = new Set([
  "$apply",
  "$count",
  "$expand",
  "$filter",
  "$orderby",
  "$search",
  "$select",
]);

/**
 * Writes a query as a binding of UI5, for an `ODataModel` of version 4. `$top` and `$skip` become `length` and `startIndex`; a
 * comment names the options that bindings do not accept.
 */
export function copyAsUi5({ root, path, options }: CopiedQuery): string {
  const parameters: string[] = [];
  const refused: string[] = [];
  for (const [name, value] of options) {
    if (name === "$top" || name === "$skip") continue;
    if (name.startsWith("$") && !BINDING_OPTIONS.has(name)) refused.push(name);
    else if (name === "$count") parameters.push(`    $count: ${value.toLowerCase() === "true" ? "true" : "false"},\n`);
    else parameters.push(`    ${keyOf(name)}: ${JSON.stringify(value)},\n`);
  }
  const isEntity = path.endsWith(")");
  const parts = [
    `  path: ${JSON.stringify(`/${path}`)},\n`,
    parameters.length === 0 ? "" : `  parameters: {\n${parameters.join("")}  },\n`,
    isEntity ? "" : sizeOf("startIndex", options.get("$skip")) + sizeOf("length", options.get("$top")),
    isEntity ? "" : "  template,\n",
  ];
  const note = refused.length === 0 ? "" : `// Bindings of UI5 do not accept ${refused.join(", ")}.\n`;
  return `${note}// The model: new ODataModel({ serviceUrl: ${JSON.stringify(serviceRoot(root))}, autoExpandSelect: false })
${isEntity ? "page.bindElement" : "list.bindItems"}({
${parts.join("")}});
`;
}

function sizeOf(name: string, value: string | undefined): string {
  return value !== undefined && /^\d+$/u.test(value) ? `  ${name}: ${value},\n` : "";
}
