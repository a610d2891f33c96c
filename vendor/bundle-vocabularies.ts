/** The vocabularies that annotations are checked against, by alias. A service writes this alias to its `$metadata`. */
const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ...["Core", "Capabilities", "Aggregation", "Validation", "Measures", "Authorization"].map(
    (alias) => [alias, `Org.OData.${alias}.V1`] as const,
  ),
  ...["Common", "UI", "Analytics", "Communication", "CodeList", "PersonalData", "Hierarchy"].map(
    (alias) => [alias, `com.sap.vocabularies.${alias}.v1`] as const,
  ),
]);

/** The members of CSDL JSON with the name of a type. */
const TYPE_MEMBERS: ReadonlySet<string> = new Set(["$Type", "$BaseType", "$UnderlyingType"]);
/** The members of CSDL JSON that odatakit reads. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...TYPE_MEMBERS,
  "$Kind",
  "$Collection",
  "$Abstract",
  "$OpenType",
  "$IsFlags",
]);

/** An object of CSDL JSON: a document, a schema, or an element of it. */
interface CsdlObject {
  readonly [name: string]: unknown;
}

const HEAD = `// Made by \`npm run vendor\` of @sap-ux/odata-vocabularies; its licence is in LICENSE-vocabularies.
/*! The terms and types of @sap-ux/odata-vocabularies (Apache-2.0), changed: without texts, functions and actions, and types
    have the aliases of their vocabularies. The licence is in vendor/LICENSE-vocabularies. */`;

/**
 * Writes the terms and types of the vocabularies in `@sap-ux/odata-vocabularies` as one module without imports. The JSON of
 * a vocabulary is a text, which only services with annotations of it parse.
 * @param folder that holds `vocabularies-source.js`
 * @returns the text of the module
 * @see docs/decisions/0040-annotations-metadata-connections.md
 */
export async function bundleVocabularies(folder: string): Promise<string> {
  // The package has types for its modules, but lacks some that these import.
  const { documents } = (await import(`${folder}/vocabularies-source.js`)) as {
    readonly documents: Readonly<Record<string, CsdlObject>>;
  };
  const entries = Array.from(NAMESPACES, ([alias, namespace]) => {
    const schema = documents[namespace]?.[namespace];
    if (!isObject(schema)) throw new Error(`@sap-ux/odata-vocabularies has no vocabulary ${namespace}.`);
    return `  ${alias}: () => JSON.parse(\`{\n${elementsOf(schema).join(",\n")}\n}\`),\n`;
  });
  return `${HEAD}\nexport const vocabularies = {\n${entries.join("")}};\n`;
}

/** Returns the terms and types of a schema, one line of JSON each. Functions and actions are arrays. */
function elementsOf(schema: CsdlObject): readonly string[] {
  return Object.entries(schema).flatMap(([name, element]) =>
    isObject(element) ? [`${JSON.stringify(name)}:${JSON.stringify(essence(element))}`] : [],
  );
}

/** Returns an element without the members and annotations that odatakit does not read. */
function essence(element: CsdlObject): CsdlObject {
  return Object.fromEntries(
    Object.entries(element).flatMap(([name, value]) => {
      if (name.includes("@") || (name.startsWith("$") && !MEMBERS.has(name))) return [];
      if (TYPE_MEMBERS.has(name)) return [[name, aliased(String(value))]];
      return [[name, isObject(value) ? essence(value) : value]];
    }),
  );
}

/** Returns the name of a type with the alias of its vocabulary. */
function aliased(name: string): string {
  const dot = name.lastIndexOf(".");
  const namespace = name.slice(0, dot);
  const alias = Array.from(NAMESPACES).find(([, each]) => each === namespace)?.[0] ?? namespace;
  return `${alias}${name.slice(dot)}`;
}

function isObject(value: unknown): value is CsdlObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
