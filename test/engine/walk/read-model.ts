import { xml2json } from "odata-csdl";

/** A property of an entity type, as `$metadata` describes it. */
export interface WalkedProperty {
  readonly name: string;
  /** The type of the value, or of each item. */
  readonly type: string;
  readonly isCollection: boolean;
}

export interface WalkedNavigation {
  readonly name: string;
  readonly isCollection: boolean;
  /** The properties that refer to the related entity. */
  readonly references: readonly string[];
}

/** An entity set, as `$metadata` describes it. */
export interface WalkedSet {
  readonly name: string;
  readonly key: readonly WalkedProperty[];
  readonly properties: readonly WalkedProperty[];
  readonly navigations: readonly WalkedNavigation[];
  readonly isSearchable: boolean;
}

const SEARCH = "@Org.OData.Capabilities.V1.SearchRestrictions";

/** A member of CSDL JSON, as far as a walk reads it. */
interface Member {
  readonly $Kind?: string;
  readonly $Type?: string;
  readonly $Collection?: boolean;
  readonly $BaseType?: string;
  readonly $Key?: readonly string[];
  readonly $ReferentialConstraint?: Readonly<Record<string, string>>;
  readonly [SEARCH]?: { readonly Searchable?: boolean };
}

type Members = Readonly<Record<string, Member>>;

/** Reads the entity sets of a metadata document in XML. */
export function readModel(xml: string): readonly WalkedSet[] {
  const document = xml2json(xml, { strict: true, annotations: true, messages: [] });
  // A service without sets has no container.
  const { $EntityContainer: container } = document as { readonly $EntityContainer?: string };
  if (container === undefined) return [];
  return named(memberOf(document, container) as Members)
    .filter(([, { $Collection }]) => $Collection === true)
    .map(([name, { $Type = "", [SEARCH]: search }]) => {
      return { name, isSearchable: search?.Searchable !== false, ...readType(document, $Type) };
    });
}

function readType(document: object, name: string): Omit<WalkedSet, "name" | "isSearchable"> {
  const type = memberOf(document, name) as Member & Members;
  const { $BaseType: base } = type;
  const inherited = base === undefined ? { key: [], properties: [], navigations: [] } : readType(document, base);
  const members = named(type);
  const own = members.filter(([, { $Kind = "Property" }]) => $Kind === "Property").map(readProperty);
  const navigations = members.filter(([, { $Kind }]) => $Kind === "NavigationProperty");
  const properties = [...inherited.properties, ...own];
  const ownKey = (type.$Key ?? []).flatMap((key) => properties.filter((property) => property.name === key));
  return {
    key: [...inherited.key, ...ownKey],
    properties,
    navigations: [...inherited.navigations, ...navigations.map(readNavigation)],
  };
}

function readNavigation([name, member]: readonly [string, Member]): WalkedNavigation {
  const { $Collection = false, $ReferentialConstraint = {} } = member;
  return { name, isCollection: $Collection, references: Object.keys($ReferentialConstraint) };
}

function readProperty([name, { $Type = "Edm.String", $Collection = false }]: readonly [
  string,
  Member,
]): WalkedProperty {
  return { name, type: $Type, isCollection: $Collection };
}

/** Returns the members of a type or container, without keywords and annotations. */
function named(members: Members): readonly (readonly [string, Member])[] {
  return Object.entries(members).filter(([name]) => !/[$@]/u.test(name));
}

/** Finds a member of a schema by its qualified name. */
function memberOf(document: object, qualifiedName: string): unknown {
  const end = qualifiedName.lastIndexOf(".");
  const schema = Reflect.get(document, qualifiedName.slice(0, end)) as object;
  return Reflect.get(schema, qualifiedName.slice(end + 1));
}
