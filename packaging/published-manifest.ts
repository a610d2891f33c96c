/** A JSON object, as package.json contains it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Members that only the development of the package uses. */
const OWN = new Set(["allowScripts", "devDependencies", "imports", "scarfSettings", "scripts", "workspaces"]);

/**
 * Returns the package.json of the tarball: without the condition `source`, which leads tests and examples to `src`, and
 * without the members that only the development of the package uses.
 */
export function publishedManifest(manifest: JsonObject): JsonObject {
  const published = Object.fromEntries(Object.entries(manifest).filter(([name]) => !OWN.has(name)));
  const { exports: entries } = manifest;
  return typeof entries === "object" && entries !== null
    ? { ...published, exports: Object.fromEntries(Object.entries(entries).map(withoutSource)) }
    : published;
}

function withoutSource([name, conditions]: readonly [string, unknown]): readonly [string, unknown] {
  const { source: _source, ...rest } = conditions as JsonObject;
  return [name, rest];
}
