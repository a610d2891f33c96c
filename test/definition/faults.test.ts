import { describe, expect, test } from "vitest";
import { ConfigurationError, type ConfigurationFault } from "../../src/base/errors/configuration-error.ts";
import { bindAnnotations } from "../../src/definition/annotations/bind-annotations.ts";
import type { ServiceOptions } from "../../src/definition/model/service-options.ts";
import { anyOf, authenticated, resource, role } from "../../src/definition/sets/authorization.ts";
import { entitySet } from "../../src/definition/sets/entity-set.ts";
import { hasMany, hasOptional, hasRequired } from "../../src/definition/sets/navigation.ts";
import { action, fn } from "../../src/definition/sets/operation.ts";
import { buildServiceDefinition } from "../../src/definition/startup/build-service-definition.ts";
import { edm } from "../../src/definition/types/edm-builders.ts";
import { complexType, entityType, enumType } from "../../src/definition/types/entity-type.ts";
import { allRows } from "../../src/definition/types/row-predicate.ts";
import { ROW_RULES } from "../../src/engine/reads/gate.ts";

const logger = { error: () => {}, warn: () => {}, info: () => {} };
const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Address = complexType("Address", { street: edm.string({ maxLength: 5 }), city: edm.string().nullable() });
const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string(),
  secret: edm.string().ignored(),
  address: edm.complex(Address),
  tags: edm.collection(edm.string()),
});
const Order = entityType("Order", { id: edm.int64().key(), customerId: edm.int32() });
const orders = entitySet(Order, {});

/** JavaScript callers can pass any value. */
function untyped(value: unknown): never {
  return value as never;
}

function faultsOf(options: unknown): readonly ConfigurationFault[] {
  try {
    buildServiceDefinition(untyped(options), logger, ROW_RULES, bindAnnotations);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

/** A registration of one set of Customer with these options. */
function ofSet(options: unknown): object {
  return { entitySets: [entitySet(Customer, untyped(options)), orders] };
}

/** The same registration with a set over a database. */
function ofTable(options: object): object {
  const queryable = Object.assign(() => null, { source: { relational: {} } });
  return ofSet({ ...options, queryable });
}

/** A registration of one set whose type has a key and these properties. */
function ofType(properties: object, id: unknown = edm.int32().key()): object {
  return { entitySets: [entitySet(untyped(entityType("Thing", untyped({ id, ...properties }))), {})] };
}

function ofService(options: object): object {
  return { entitySets: [], ...options };
}

function navigationFault(route: string, message: string, fix: string): ConfigurationFault {
  return { set: "Customers", route, method: "GET", message, fix };
}

const noRow = (): null => null;
const handler = (): string => "x";
const returns = edm.string();
const LETTERS = "Begin with a letter or underscore, then letters, digits and underscores, at most 128 characters.";
const RENAME = "Rename one of them: the key in `functions` or `actions` is the name.";
const PREFIX_FIX = 'Start with a slash and do not end with one, such as "/odata"; "" is the root.';
const URL_FIX = 'Give scheme, host and perhaps a path, such as "https://api.example.com", without "?" and "#".';
const SECRET_FIX = "Give at least 16 random characters that all processes of the service share, from its environment.";
const NAMESPACE_FIX =
  'Give identifiers separated by dots, such as "Shop.Sales", except Edm, odata, System and Transient.';

type Row = readonly [title: string, options: unknown, ...faults: readonly ConfigurationFault[]];

const SERVICE: readonly Row[] = [
  [
    "a mistyped option",
    ofService({ entitySet: [] }),
    { message: "odataService has no option `entitySet`.", fix: "Did you mean `entitySets`?" },
  ],
  [
    "a mistyped default",
    ofService({ defaults: { maxTopp: 1 } }),
    { message: "`defaults` has no option `maxTopp`.", fix: "Did you mean `maxTop`?" },
  ],
  [
    "limits and settings of `defaults`",
    ofService({ transactionTimeout: 5, maxTop: 5 }),
    {
      message: "odataService has no option `transactionTimeout`.",
      fix: "It belongs to `defaults` of odataService: defaults: { transactionTimeout: … }.",
    },
    {
      message: "odataService has no option `maxTop`.",
      fix: "It belongs to `defaults` of odataService: defaults: { maxTop: … }.",
    },
  ],
  [
    "entity sets that are not awaited",
    untyped({ entitySets: Promise.resolve([orders]) }),
    { message: "`entitySets` of odataService cannot be a promise.", fix: "Give an array." },
  ],
  [
    "no entity sets",
    { prefix: "" },
    {
      message: "`entitySets` of odataService is missing.",
      fix: "Give an array of results of `entitySet`.",
    },
  ],
  [
    "another value than an entity set",
    { entitySets: [Order, 5, { kind: "EntitySetDeclaration" }] },
    {
      message: "`entitySets` contains an object at position 0.",
      fix: "List results of `entitySet(entityType(…), { … })`.",
    },
    { message: "`entitySets` contains 5 at position 1.", fix: "List results of `entitySet(entityType(…), { … })`." },
    {
      message: "The set at position 2 of `entitySets` has no entity type.",
      fix: "List results of `entitySet(entityType(…), { … })`.",
    },
  ],
  ...["odata", "/odata/", "/", "/a b", "/a//b", "/..", "/a?b", "/%41"].map((prefix): Row => [
    `the prefix "${prefix}"`,
    ofService({ prefix }),
    { message: `\`prefix\` of odataService cannot be "${prefix}".`, fix: PREFIX_FIX },
  ]),
  [
    "a name that is not a path",
    ofService({ name: "my shop" }),
    {
      message: 'The prefix would be "/my shop", after the `name`, which is not a path.',
      fix: "Give a `prefix`, or a name of letters, digits, dots and hyphens.",
    },
  ],
  ...["Edm", "odata", "1a", "a..b", "a-b"].map((namespace): Row => [
    `the namespace "${namespace}"`,
    ofService({ namespace }),
    { message: `\`namespace\` of odataService cannot be "${namespace}".`, fix: NAMESPACE_FIX },
  ]),
  ...["api.example.com", "ftp://x", "https://x?y", "https://x#y", "https://me:pw@x", "/x", "https:"].map(
    (publicUrl): Row => [
      `the public URL "${publicUrl}"`,
      ofService({ publicUrl }),
      { message: `\`publicUrl\` of odataService cannot be "${publicUrl}".`, fix: URL_FIX },
    ],
  ),
  [
    "a challenge that is not a header",
    ofService({ challenge: "Bearer\r\nX: y" }),
    {
      message: "`challenge` of odataService contains characters that a header cannot contain.",
      fix: 'Give ASCII text, such as "Bearer".',
    },
  ],
  [
    "an incomplete logger",
    ofService({ logger: { error: () => {} } }),
    {
      message: "`logger` of odataService has no function warn, info.",
      fix: "Give { error(message, fields), warn(message, fields), info(message, fields) }.",
    },
  ],
  [
    "options of other types",
    ofService({ trustProxy: 1, authenticate: {}, propertyNaming: "snake", group: "", routes: {}, profile: "other" }),
    { message: "`trustProxy` of odataService cannot be 1.", fix: "Give true or false, or leave it out to inherit." },
    { message: "`authenticate` of odataService cannot be an object.", fix: "Give a function." },
    {
      message: '`propertyNaming` of odataService cannot be "snake".',
      fix: 'Give "PascalCase" or "camelCase" or "asDeclared".',
    },
    { message: '`group` of odataService cannot be "".', fix: "Give a string." },
    { message: "`routes` of odataService cannot be an object.", fix: "Give an array." },
    { message: '`profile` of odataService cannot be "other".', fix: 'Give "specification" or "standard".' },
  ],
  [
    "a batch that is no object",
    ofService({ batch: 5 }),
    { message: "`batch` of odataService cannot be 5.", fix: "Give true, false, or an object such as { json: true }." },
  ],
  [
    "options of batches",
    ofService({ batch: { multipart: "yes", json: 1, maxParts: 0, changeSets: "some", maxPart: 1 } }),
    { message: '`multipart` of batch cannot be "yes".', fix: "Give true or false, or leave it out to inherit." },
    { message: "`json` of batch cannot be 1.", fix: "Give true or false, or leave it out to inherit." },
    { message: "`maxParts` of batch cannot be 0.", fix: "Give a whole number of 1 or more, or null for no limit." },
    { message: '`changeSets` of batch cannot be "some".', fix: 'Give "atomic" or "sequential".' },
    { message: "batch has no option `maxPart`.", fix: "Did you mean `maxParts`?" },
  ],
  [
    "batches without a format",
    ofService({ batch: { multipart: false } }),
    {
      message: "`batch` of odataService enables no format.",
      fix: "Enable `multipart` or `json`, or set `batch` to false.",
    },
  ],
  [
    "routes that nothing made",
    ofService({ routes: [{}, null, "openapi.json"] }),
    {
      message: "`routes` of odataService contains an object at position 0.",
      fix: "List results of `openApiRoute(…)`.",
    },
    {
      message: "`routes` of odataService contains null at position 1.",
      fix: "List results of `openApiRoute(…)`.",
    },
    {
      message: '`routes` of odataService contains "openapi.json" at position 2.',
      fix: "List results of `openApiRoute(…)`.",
    },
  ],
  [
    "keyset paging without a secret",
    ofService({ defaults: { paging: "keyset" } }),
    { message: '`paging: "keyset"` of `defaults` needs the `secret` of odataService.', fix: SECRET_FIX },
  ],
  [
    "a short secret",
    ofService({ secret: "0123456789abcde", defaults: { paging: "keyset" } }),
    { message: "`secret` of odataService has only 15 characters.", fix: SECRET_FIX },
  ],
  [
    "an empty secret",
    ofService({ secret: new Uint8Array() }),
    { message: "`secret` of odataService has only 0 characters.", fix: SECRET_FIX },
  ],
  [
    "a secret of another type",
    ofService({ secret: untyped(12_345_678) }),
    { message: "`secret` of odataService is neither a string nor bytes.", fix: SECRET_FIX },
  ],
];

const SETS: readonly Row[] = [
  [
    "a mistyped option",
    ofSet({ querable: () => [] }),
    { set: "Customers", message: "entitySet has no option `querable`.", fix: "Did you mean `queryable`?" },
  ],
  [
    "a limit of `defaults`",
    ofSet({ maxNodeCount: 5 }),
    {
      set: "Customers",
      message: "entitySet has no option `maxNodeCount`.",
      fix: "It belongs to `defaults` of odataService: defaults: { maxNodeCount: … }.",
    },
  ],
  [
    "values of other types",
    ofSet({ maxTop: 0, filterEnabled: null, getAll: [], filterProperties: "name", roundingMode: "up", name: "" }),
    {
      set: "",
      message: "`maxTop` of entitySet cannot be 0.",
      fix: "Give a whole number of 1 or more, or null for no limit.",
    },
    {
      set: "",
      message: "`filterEnabled` of entitySet cannot be null.",
      fix: "Give true or false, or leave it out to inherit.",
    },
    { set: "", message: "`getAll` of entitySet cannot be an array.", fix: "Give a function." },
    {
      set: "",
      message: '`filterProperties` of entitySet cannot be "name".',
      fix: "Give an array of property keys.",
    },
    {
      set: "",
      message: '`roundingMode` of entitySet cannot be "up".',
      fix: 'Give "spec-compliant" or "BankersRounding".',
    },
    { set: "", message: '`name` of entitySet cannot be "".', fix: "Give a string." },
    {
      set: "",
      route: "/",
      message: 'The name "" of the entity set of Customer is not an identifier.',
      fix: `Give one of the sets another \`name\`. ${LETTERS}`,
    },
  ],
  [
    "two sets with one name",
    { entitySets: [orders, entitySet(Order, {})] },
    {
      set: "Orders",
      route: "/Orders",
      message: 'The name "Orders" is taken twice, both times by the entity set of Order.',
      fix: "Give one of the sets another `name`.",
    },
  ],
  [
    "two sets whose names differ only in case",
    { entitySets: [orders, entitySet(Customer, { name: "ORDERS" })] },
    {
      set: "ORDERS",
      route: "/ORDERS",
      message:
        'The entity set of Order and the entity set of Customer have names that differ only in case, "Orders" and "ORDERS".',
      fix: "Give one of the sets another `name`.",
    },
  ],
  [
    "an ETag of all properties, some of which clients may not know, without a secret",
    ofSet({ etag: "all", authorization: { properties: { name: { read: role("clerk") } } } }),
    {
      set: "Customers",
      message:
        '`etag: "all"` needs the `secret` of odataService, because `authorization.properties.name.read` hides values: without it, clients could find them by trying.',
      fix: "Give a `secret` that all processes share, or name properties in `etag`.",
    },
  ],
  [
    "an ETag that is neither a list nor all properties",
    ofSet({ etag: "any" }),
    {
      set: "Customers",
      message: '`etag` of entitySet cannot be "any".',
      fix: 'Give an array of property keys, or "all".',
    },
  ],
  [
    "unknown and ignored names in lists",
    ofSet({
      filterProperties: ["nane", "name", "name"],
      orderByProperties: ["secret"],
      selectProperties: ["Name"],
      expandProperties: ["name"],
      etag: ["nope", "secret", "tags", "address"],
    }),
    {
      set: "Customers",
      message: "`filterProperties` names `nane`, which Customer does not have.",
      fix: "Did you mean `name`?",
    },
    { set: "Customers", message: "`filterProperties` names `name` twice.", fix: "Name it once." },
    {
      set: "Customers",
      message: "`orderByProperties` names `secret`, which is ignored: clients must not see it.",
      fix: "Remove it from `orderByProperties`, or remove .ignored().",
    },
    {
      set: "Customers",
      message: "`selectProperties` names `Name`, which Customer does not have.",
      fix: "Did you mean `name`?",
    },
    {
      set: "Customers",
      message: "`expandProperties` names `name`, which Customer does not have.",
      fix: "Remove it: no name is available.",
    },
    {
      set: "Customers",
      message: "`etag` names `nope`, which Customer does not have.",
      fix: "Remove it, or use one of `id`, `name`, `address`, `tags`.",
    },
    {
      set: "Customers",
      message: "`etag` names `secret`, which is ignored: clients must not see it.",
      fix: "Remove it from `etag`, or remove .ignored().",
    },
    {
      set: "Customers",
      message: "An ETag is made of single values, but `tags` is a collection.",
      fix: "Name properties of primitive or enumeration types.",
    },
    {
      set: "Customers",
      message: "An ETag is made of single values, but `address` is a complex value.",
      fix: "Name properties of primitive or enumeration types.",
    },
  ],
  [
    "allowlists of $apply that show what $select does not",
    ofSet({
      selectProperties: ["id", "name"],
      groupByProperties: ["name", "tags", "secret"],
      aggregateProperties: ["nane"],
    }),
    {
      set: "Customers",
      message: "`groupByProperties` names `secret`, which is ignored: clients must not see it.",
      fix: "Remove it from `groupByProperties`, or remove .ignored().",
    },
    {
      set: "Customers",
      message: "`aggregateProperties` names `nane`, which Customer does not have.",
      fix: "Did you mean `name`?",
    },
    {
      set: "Customers",
      message:
        "`groupByProperties` names `tags`, which `selectProperties` does not name: $apply would show its values.",
      fix: "Remove it from `groupByProperties`, or add it to `selectProperties`.",
    },
  ],
  [
    "further options of a set without applyQuery",
    ofSet({ applyQueryOptions: ["aply"] }),
    {
      set: "Customers",
      message: "`applyQueryOptions` names `aply`, which is no such option.",
      fix: "Did you mean `apply`?",
    },
    {
      set: "Customers",
      message: "The set has `applyQueryOptions`, but no handler `applyQuery`.",
      fix: "Remove it: the service applies $apply and $compute itself.",
    },
  ],
  [
    "options that applyQuery does not apply",
    ofSet({
      applyQuery: () => ({ items: [] }),
      applyEnabled: true,
      computeEnabled: true,
      applyQueryOptions: ["compute"],
    }),
    {
      set: "Customers",
      message: "`applyEnabled` is true, but `applyQuery` does not apply `$apply`.",
      fix: 'Apply `query.apply` in the handler, and add "apply" to `applyQueryOptions`.',
    },
  ],
  [
    "search without a collection read",
    ofSet({ search: () => [], getByKey: noRow }),
    {
      set: "Customers",
      route: "/Customers",
      method: "GET",
      message: "The set has a search handler, but no handler that reads the collection.",
      fix: "Declare queryable, getAll or applyQuery.",
    },
  ],
  [
    "keyset paging without a secret",
    ofSet({ paging: "keyset" }),
    {
      set: "Customers",
      message: '`paging: "keyset"` of an entity set needs the `secret` of odataService.',
      fix: SECRET_FIX,
    },
  ],
];

const TYPES: readonly Row[] = [
  [
    "an entity type without a key",
    ofType({}, edm.int32()),
    {
      set: "Thing",
      message: "The entity type Thing has no key.",
      fix: "Mark the property that identifies an entity with .key().",
    },
  ],
  [
    "a default of the database for what clients cannot send, and beside another default",
    ofType({
      made: edm.int32().computed().databaseDefault(),
      hidden: edm.int32().ignored().databaseDefault(),
      twice: edm.int32().default(1).databaseDefault(),
      fine: edm.int32().nullable().immutable().databaseDefault(),
    }),
    {
      set: "Thing",
      message: "Clients send no value of the property `made` of Thing, which is computed, so it needs no default.",
      fix: "Remove `.computed()` if clients may send the value, otherwise `.databaseDefault()`.",
    },
    {
      set: "Thing",
      message: "`.databaseDefault()` has no effect on the property `hidden` of Thing, which is ignored.",
      fix: "Remove it, or `.ignored()`.",
    },
    {
      set: "Thing",
      message: "The service and the database both have a default for the property `twice` of Thing.",
      fix: "Keep `.default(value)` for a literal, and `.databaseDefault()` for an expression.",
    },
  ],
  [
    "properties that clients cannot select",
    ofType(
      {
        hidden: edm.string().ignored().onlyIfSelected(),
        place: edm.complex(complexType("Place", { at: edm.int32().onlyIfSelected() })),
        list: edm.collection(edm.int32().onlyIfSelected()),
        fine: edm.binary().computed().onlyIfSelected(),
      },
      edm.int32().key().onlyIfSelected(),
    ),
    {
      set: "Thing",
      message: "A key is part of every entity, but the property `id` of Thing is returned only if selected.",
      fix: "Remove .onlyIfSelected() or .key().",
    },
    {
      set: "Thing",
      message: "`.onlyIfSelected()` has no effect on the property `hidden` of Thing, which is ignored.",
      fix: "Remove it, or `.ignored()`.",
    },
    {
      set: "Thing",
      message: "`.onlyIfSelected()` has no effect on the items of the property `list` of Thing.",
      fix: "Append it to edm.collection(…), or remove it.",
    },
    {
      set: "Place",
      message: "`.onlyIfSelected()` has no effect on the property `at` of Place.",
      fix: "Remove it, and append it to the property of the entity that contains the complex value.",
    },
  ],
  [
    "media types of other values, of unknown properties, and in a wrong form",
    ofType({
      text: edm.string().mediaType("image/png"),
      list: edm.collection(edm.binary()).mediaType("image/png"),
      odd: edm.binary().mediaType("png"),
      lost: edm.binary().mediaType({ property: "typ" }),
      made: edm.binary().mediaType({ property: "kind" }),
      listed: edm.binary().mediaType({ property: "type", accepts: [] }),
      other: edm.binary().mediaType(untyped({ property: "type", accept: ["image/png"] })),
      fine: edm.binary().mediaType({ property: "type", accepts: ["image/png", "text/plain; charset=utf-8"] }),
      type: edm.string(),
      kind: edm.string().computed(),
    }),
    {
      set: "Thing",
      message: "`.mediaType()` has no effect on the property `text` of Thing.",
      fix: "Remove it: only bytes that clients see, edm.binary(), have a media type.",
    },
    {
      set: "Thing",
      message: "`.mediaType()` has no effect on the property `list` of Thing.",
      fix: "Remove it: only bytes that clients see, edm.binary(), have a media type.",
    },
    {
      set: "Thing",
      message: 'The media type of the property `odd` of Thing cannot be "png".',
      fix: 'Give a type such as "image/png", or { property: "contentType" }.',
    },
    {
      set: "Thing",
      message: 'The media type of the property `lost` of Thing names "typ", which Thing does not have.',
      fix: "Did you mean `type`?",
    },
    {
      set: "Thing",
      message: "The media type of the property `made` of Thing cannot be stored in `kind`.",
      fix: "Name an edm.string() that is no key, and neither ignored, computed, immutable nor set by the server.",
    },
    {
      set: "Thing",
      message: "`accepts` of the media type of the property `listed` of Thing is no list of media types.",
      fix: 'Give media types, such as ["image/png", "image/jpeg"], or leave them out.',
    },
    {
      set: "Thing",
      message: "The media type of the property `other` of Thing has the unknown member `accept`.",
      fix: "Did you mean `accepts`?",
    },
  ],
  [
    "a default of the database for a member of a complex value, and for items",
    ofType({
      place: edm.complex(complexType("Place", { at: edm.int32().databaseDefault() })),
      list: edm.collection(edm.int32().databaseDefault()),
    }),
    {
      set: "Thing",
      message: "`.databaseDefault()` has no effect on the items of the property `list` of Thing.",
      fix: "Append it to edm.collection(…), or remove it.",
    },
    {
      set: "Place",
      message: "`.databaseDefault()` has no effect on the property `at` of Place.",
      fix: "Remove it, and append it to the property with the complex value, if the database has a default for the whole value.",
    },
  ],
  [
    "a nullable, ignored key",
    ofType({}, edm.int32().key().nullable().ignored()),
    {
      set: "Thing",
      message: "A key is never null, but the property `id` of Thing is nullable.",
      fix: "Remove .nullable() or .key().",
    },
    {
      set: "Thing",
      message: "A key is part of every URL, but the property `id` of Thing is ignored.",
      fix: "Remove .ignored() or .key().",
    },
  ],
  ...(
    [
      ["Edm.Double", edm.double()],
      ["Edm.Single", edm.single()],
      ["Edm.Binary", edm.binary()],
      ["The complex type Address", edm.complex(Address)],
      ["a collection", edm.collection(edm.int32())],
    ] as const
  ).map(([is, property]): Row => [
    `a key of ${is}`,
    ofType({}, property.key()),
    {
      set: "Thing",
      message: `${is} cannot be a key, but the property \`id\` of Thing is one.`,
      fix: "Use Boolean, an integer, Decimal, String, Guid, a date or time type, Duration or an enumeration.",
    },
  ]),
  [
    "another value than a property",
    ofType({ other: Order, text: "x" }),
    {
      set: "Thing",
      message: "The property `other` of Thing is an object.",
      fix: "Declare it with a builder, such as edm.string(); relate entities with `navigation` of entitySet.",
    },
    {
      set: "Thing",
      message: 'The property `text` of Thing is "x".',
      fix: "Declare it with a builder, such as edm.string(); relate entities with `navigation` of entitySet.",
    },
  ],
  [
    "names that are not identifiers",
    ofType({ "a-b": edm.string(), ok: edm.string().json("x y") }),
    {
      set: "Thing",
      message: 'The name "A-b" of the property `a-b` of Thing is not an identifier.',
      fix: `Give the property another key, or another wire name with .json(). ${LETTERS}`,
    },
    {
      set: "Thing",
      message: 'The name "x y" of the property `ok` of Thing is not an identifier.',
      fix: `Give the property another key, or another wire name with .json(). ${LETTERS}`,
    },
  ],
  [
    "wire names that clash after the policy, and by .json()",
    ofType({ name: edm.string(), Name: edm.string(), other: edm.string().json("NAME") }),
    {
      set: "Thing",
      message: 'The property `name` of Thing and the property `Name` of Thing have the name "Name".',
      fix: "Give the property another key, or another wire name with .json().",
    },
    {
      set: "Thing",
      message:
        'The property `name` of Thing and the property `other` of Thing have names that differ only in case, "Name" and "NAME".',
      fix: "Give the property another key, or another wire name with .json().",
    },
  ],
  [
    "facets",
    ofType({
      a: edm.string({ maxLength: 0 }),
      b: edm.decimal({ precision: 2, scale: 3 }),
      c: edm.dateTimeOffset({ precision: 13 }),
      d: edm.binary(untyped({ maxLenght: 5 })),
      e: edm.decimal({ precision: 1.5 }),
    }),
    {
      set: "Thing",
      message: "`maxLength` of the property `a` of Thing cannot be 0.",
      fix: "Give a whole number of 1 or more.",
    },
    {
      set: "Thing",
      message: "`scale` of the property `b` of Thing cannot be 3.",
      fix: "Give a whole number from 0 to the precision.",
    },
    {
      set: "Thing",
      message: "`precision` of the property `c` of Thing cannot be 13.",
      fix: "Give a whole number from 0 to 12.",
    },
    {
      set: "Thing",
      message: "Edm.Binary has no facet `maxLenght`, but the property `d` of Thing has it.",
      fix: "Did you mean `maxLength`?",
    },
    {
      set: "Thing",
      message: "`precision` of the property `e` of Thing cannot be 1.5.",
      fix: "Give a whole number of 1 or more.",
    },
  ],
  [
    "collections that may be null, that nest, and modifiers of items",
    ofType({
      a: edm.collection(edm.string()).nullable(),
      b: edm.collection(edm.collection(edm.string())),
      c: edm.collection(edm.string().json("x")),
    }),
    {
      set: "Thing",
      message: "A collection is never null, but the property `a` of Thing is nullable.",
      fix: "Use an empty collection; for nullable items, write edm.collection(….nullable()).",
    },
    {
      set: "Thing",
      message: "The items of the property `b` of Thing are collections.",
      fix: "Items are single values: declare a complex type that contains the inner collection.",
    },
    {
      set: "Thing",
      message: "`.json()` has no effect on the items of the property `c` of Thing.",
      fix: "Append it to edm.collection(…), or remove it.",
    },
  ],
  [
    "a key in a complex type",
    ofType({ place: edm.complex(complexType("Place", { id: edm.int32().key() })) }),
    {
      set: "Place",
      message: "`.key()` has no effect on the property `id` of Place.",
      fix: "Remove it: only entity types have keys.",
    },
  ],
  [
    "another value than a type",
    ofType({ a: edm.enum(untyped(undefined)), b: edm.complex(untyped(Order)) }),
    {
      set: "Thing",
      message: "The type of the property `a` of Thing is undefined.",
      fix: "Use the result of enumType or complexType.",
    },
    {
      set: "Thing",
      message: "The type of the property `b` of Thing is an object.",
      fix: "Use the result of enumType or complexType.",
    },
  ],
  [
    "members of enumerations",
    ofType({
      a: edm.enum(enumType("Empty", {})),
      b: edm.enum(enumType("Half", { A: 0.5, "b c": 1, a: 2 })),
      c: edm.enum(enumType("Flags", { A: -1 }, { isFlags: true })),
    }),
    {
      set: "Half",
      message: 'The name "b c" of the member `b c` of Half is not an identifier.',
      fix: `Rename the member. ${LETTERS}`,
    },
    { set: "Empty", message: "The enumeration Empty has no members.", fix: "Give an object of names and numbers." },
    { set: "Half", message: "The member `A` of Half cannot be 0.5.", fix: "Give a whole number." },
    {
      set: "Flags",
      message: "The member `A` of Flags cannot be -1.",
      fix: "Give a whole number of 0 or more: a set of bits.",
    },
    {
      set: "Half",
      message: 'The member `A` of Half and the member `a` of Half have names that differ only in case, "A" and "a".',
      fix: "Rename the member.",
    },
  ],
  [
    "two types with one name",
    {
      entitySets: [orders, entitySet(entityType("Order", { id: edm.int32().key() }), { name: "Others" })],
    },
    {
      set: "Order",
      message: 'The name "Order" is taken twice, both times by the entity type Order.',
      fix: "Give entityType another name, or declare the type once and use that one object everywhere.",
    },
  ],
  [
    "a type whose name is not an identifier",
    { entitySets: [entitySet(entityType("My Order", { id: edm.int32().key() }), { name: "Orders" })] },
    {
      set: "My Order",
      message: 'The name "My Order" of the entity type My Order is not an identifier.',
      fix: `Give entityType another name, or declare the type once and use that one object everywhere. ${LETTERS}`,
    },
  ],
];

const DEFAULTS: ReadonlyArray<readonly [string, unknown, string]> = [
  ["a string for a number", edm.int32().default(untyped("5")), "Edm.Int32"],
  ["a number out of range", edm.byte().default(256), "Edm.Byte"],
  ["a string that is too long", edm.string({ maxLength: 2 }).default("abc"), "too long"],
  ["too many fraction digits", edm.decimal({ precision: 5, scale: 1 }).default("1.25"), ""],
  ["30 February", edm.date().default("2024-02-30"), "Edm.Date"],
  ["a value that is not a member", edm.enum(Status).default(untyped("Lost")), ""],
  ["null for a property that is not nullable", edm.string().default(untyped(null)), "null is not a value"],
  ["a value that is not an array", edm.collection(edm.string()).default(untyped("x")), "is not an array"],
  ["a wrong item", edm.collection(edm.int32()).default([1, 1.5]), "Edm.Int32"],
  ["a value that is not an object", edm.complex(Address).default(untyped("x")), "is not an object of Address"],
  ["a missing member", edm.complex(Address).default(untyped({ city: "x" })), "`street` is missing"],
  ["an unknown member", edm.complex(Address).default(untyped({ street: "x", zip: 1 })), "has no property `zip`"],
  ["a wrong member", edm.complex(Address).default({ street: "too long" }), "too long"],
];

const TAGGED = "/Customers({key})/Tagged";

const LINKS: readonly Row[] = [
  [
    "links of a set without a table",
    ofSet({
      navigation: { tagged: hasMany(Order, { through: { table: "links", from: { id: "c" }, to: { o: "id" } } }) },
    }),
    navigationFault(
      TAGGED,
      "`through` of `tagged` names a link table, but the set Customers has no table.",
      "Declare it with sqlEntitySet, or remove `through` and give `get` or `getBatch`.",
    ),
  ],
  [
    "missing or wrong parts of a link table",
    ofTable({
      navigation: {
        tagged: hasMany(Order, untyped({ on: { id: "customerId" }, through: { table: 5, from: {}, to: { o: 7 } } })),
        linked: hasMany(Order, untyped({ through: { table: "links", from: { idd: "c", tags: "t", id: 5 } } })),
      },
    }),
    navigationFault(TAGGED, "`table` of `through` of `tagged` is 5.", "Give the name of the link table."),
    navigationFault(
      TAGGED,
      "`from` of `through` of `tagged` maps no properties.",
      'Map properties and columns of the link table: from: { id: "order_id" }.',
    ),
    navigationFault(
      TAGGED,
      "`to` of `through` of `tagged` maps the column `o` to 7.",
      'Map each column to a key of the related type: { tag_id: "id" }.',
    ),
    navigationFault(
      TAGGED,
      "`tagged` has both `on` and `through`.",
      "Keep `through` for a link table, otherwise `on`.",
    ),
    navigationFault(
      "/Customers({key})/Linked",
      "`from` of `through` of `linked` names `idd`, which Customer does not have.",
      "Did you mean `id`?",
    ),
    navigationFault(
      "/Customers({key})/Linked",
      "`from` of `through` of `linked` names `tags`, which is not a single value.",
      "Name properties of single values.",
    ),
    navigationFault(
      "/Customers({key})/Linked",
      "`from.id` of `through` of `linked` is 5.",
      "Give the name of the column with the values of the property.",
    ),
    navigationFault(
      "/Customers({key})/Linked",
      "`to` of `through` of `linked` maps no properties.",
      'Map properties and columns of the link table: to: { tag_id: "id" }.',
    ),
  ],
];

const NAVIGATIONS: readonly Row[] = [
  [
    "another value than a navigation",
    ofSet({ navigation: { orders: Order } }),
    {
      set: "Customers",
      message: "The navigation `orders` is an object.",
      fix: "Declare it with hasMany, hasOptional or hasRequired.",
    },
  ],
  [
    "options of the other cardinality",
    ofSet({
      navigation: {
        orders: hasMany(Order, untyped({ setRef: () => {}, get: 5 })),
        first: hasOptional(Order, untyped({ create: () => {} })),
      },
    }),
    navigationFault(
      "/Customers({key})/Orders",
      "`orders` (hasMany) has no option `setRef`.",
      "Remove it, or use one of `on`, `target`, `partner`, `authorization`, `annotations`, `get`, `getBatch`, `create`, `addRef`, `removeRef`, `through`.",
    ),
    navigationFault("/Customers({key})/Orders", "`get` of `orders` (hasMany) cannot be 5.", "Give a function."),
    navigationFault(
      "/Customers({key})/First",
      "`first` (hasOptional) has no option `create`.",
      "Remove it, or use one of `on`, `target`, `partner`, `authorization`, `annotations`, `get`, `getBatch`, `setRef`, `removeRef`.",
    ),
  ],
  [
    "a navigation without an entity type",
    ofSet({
      navigation: {
        orders: hasMany(untyped(Address), {}),
        other: hasMany(
          untyped(() => undefined),
          {},
        ),
      },
    }),
    navigationFault(
      "/Customers({key})/Orders",
      "The navigation `orders` leads to no entity type.",
      "Give the type, or a function that returns it: hasMany(() => Line, { … }).",
    ),
    navigationFault(
      "/Customers({key})/Other",
      "The navigation `other` leads to no entity type.",
      "Give the type, or a function that returns it: hasMany(() => Line, { … }).",
    ),
  ],
  [
    "the name of a property",
    ofSet({ navigation: { name: hasMany(Order, {}), Address: hasMany(Order, {}) } }),
    navigationFault(
      "/Customers({key})/Name",
      'The property `name` of Customer and the navigation `name` of Customers have the name "Name".',
      "Give the navigation another key.",
    ),
    navigationFault(
      "/Customers({key})/Address",
      'The property `address` of Customer and the navigation `Address` of Customers have the name "Address".',
      "Give the navigation another key.",
    ),
    navigationFault(
      "/Customers({key})/Name",
      "The navigation `name` has the same key as a structural property.",
      "Give one of them another key.",
    ),
  ],
  [
    "targets that are not there, or of another type",
    ofSet({
      navigation: { orders: hasMany(Order, { target: "Order" }), others: hasMany(Order, { target: "Customers" }) },
    }),
    navigationFault(
      "/Customers({key})/Orders",
      'The target of `orders`, "Order", is not an entity set of this service.',
      "Did you mean `Orders`?",
    ),
    navigationFault(
      "/Customers({key})/Others",
      '`others` leads to Order, but its target "Customers" contains Customer.',
      "Name a set of the related type, or declare the navigation to the type of that set.",
    ),
  ],
  [
    "conditions",
    ofSet({
      navigation: {
        a: hasMany(Order, untyped({ on: { idd: "customerId" } })),
        b: hasMany(Order, untyped({ on: { id: "customerIdd" } })),
        c: hasMany(Order, { on: { name: "customerId" } }),
        d: hasMany(Order, untyped({ on: { id: 5 } })),
        e: hasMany(Order, { on: {} }),
        f: hasMany(Customer, { on: { address: "address" } }),
      },
    }),
    navigationFault(
      "/Customers({key})/A",
      "`on` of `a` names `idd`, which Customer does not have.",
      "Did you mean `id`?",
    ),
    navigationFault(
      "/Customers({key})/B",
      "`on` of `b` names `customerIdd`, which Order does not have.",
      "Did you mean `customerId`?",
    ),
    navigationFault(
      "/Customers({key})/C",
      "`on` of `c` pairs `name` with `customerId`, which has a different type.",
      "Pair single values of one type.",
    ),
    navigationFault(
      "/Customers({key})/D",
      "`on` of `d` names 5, which Order does not have.",
      "Remove it, or use one of `id`, `customerId`.",
    ),
    navigationFault(
      "/Customers({key})/E",
      "`on` of `e` pairs no properties.",
      "Pair a property of this type with one of the related type, or leave `on` out.",
    ),
    navigationFault(
      "/Customers({key})/F",
      "`on` of `f` pairs `address` with `address`, which has a different type.",
      "Pair single values of one type.",
    ),
  ],
  [
    "navigations that are nullable where their foreign key is not, or the other way round",
    {
      entitySets: [
        entitySet(Customer, {}),
        entitySet(
          entityType("Ticket", {
            id: edm.int32().key(),
            buyerId: edm.int32().nullable(),
            sellerId: edm.int32(),
            hidden: edm.int32().nullable().ignored(),
          }),
          {
            navigation: {
              buyer: hasRequired(Customer, { on: { buyerId: "id" }, target: "Customers" }),
              seller: hasOptional(Customer, { on: { sellerId: "id" }, target: "Customers" }),
              agent: hasRequired(Customer, { on: { hidden: "id" } }),
              twin: hasOptional(Customer, { on: { id: "id" } }),
            },
          },
        ),
        entitySet(entityType("Seat", { row: edm.int32().key(), ticketId: edm.int32().key() }), {
          navigation: { owner: hasOptional(Customer, { on: { ticketId: "id" } }) },
        }),
      ],
    },
    {
      set: "Tickets",
      route: "/Tickets({key})/Buyer",
      method: "GET",
      message: "`buyer` is declared with hasRequired, but its foreign key `buyerId` may be null.",
      fix: "Declare the navigation with hasOptional, or remove .nullable() from `buyerId`.",
    },
    {
      set: "Tickets",
      route: "/Tickets({key})/Seller",
      method: "GET",
      message: "`seller` is declared with hasOptional, but its foreign key `sellerId` is never null.",
      fix: "Declare the navigation with hasRequired, or add .nullable() to `sellerId`.",
    },
    {
      set: "Tickets",
      route: "/Tickets({key})/Agent",
      method: "GET",
      message: "`agent` is declared with hasRequired, but its foreign key `hidden` may be null.",
      fix: "Declare the navigation with hasOptional, or remove .nullable() from `hidden`.",
    },
    {
      set: "Seats",
      route: "/Seats({key})/Owner",
      method: "GET",
      message: "`owner` is declared with hasOptional, but its foreign key `ticketId` is never null.",
      fix: "Declare the navigation with hasRequired.",
    },
  ],
  [
    "partners",
    {
      entitySets: [
        entitySet(Customer, {
          navigation: {
            orders: hasMany(Order, { partner: "custommer" }),
            lost: hasMany(Order, { partner: "self" }),
            other: hasMany(Order, { partner: "customer" }),
          },
        }),
        entitySet(Order, {
          navigation: {
            customer: hasRequired(Customer, { partner: "orders" }),
            self: hasOptional(Order, {}),
          },
        }),
      ],
    },
    navigationFault(
      "/Customers({key})/Orders",
      "The partner of `orders`, `custommer`, is not a navigation of a set of Order.",
      "Did you mean `customer`?",
    ),
    navigationFault(
      "/Customers({key})/Lost",
      "The partner of `lost`, `self`, does not lead back to Customer.",
      "Name the navigation that leads back, or leave `partner` out.",
    ),
    navigationFault(
      "/Customers({key})/Other",
      "The partner of `other` is `customer`, whose partner is `orders`.",
      "Let each partner name the other.",
    ),
    {
      set: "Orders",
      route: "/Orders({key})/Customer",
      method: "GET",
      message: "The partner of `customer` is `orders`, whose partner is `custommer`.",
      fix: "Let each partner name the other.",
    },
  ],
  [
    "sets of one type that disagree",
    {
      entitySets: [
        orders,
        entitySet(Customer, {
          navigation: {
            a: hasMany(Order, {}),
            b: hasOptional(Order, {}),
            c: hasMany(Order, { on: { id: "customerId" } }),
          },
        }),
        entitySet(Customer, {
          name: "Clients",
          navigation: {
            a: hasMany(Customer, {}),
            b: hasRequired(Order, {}),
            c: hasMany(Order, { on: {} }),
            d: hasMany(Order, {}),
          },
        }),
      ],
    },
    ...(
      [
        ["C", "`on` of `c` pairs no properties."],
        ["A", "`a` has a different type here than in the set Customers of the same type."],
        ["B", "`b` has a different cardinality here than in the set Customers of the same type."],
        ["C", "`c` has a different `on` here than in the set Customers of the same type."],
      ] as const
    ).map(([name, message], index) => ({
      set: "Clients",
      route: `/Clients({key})/${name}`,
      method: "GET",
      message,
      fix:
        index === 0
          ? "Pair a property of this type with one of the related type, or leave `on` out."
          : "Declare it identically in both sets, or only in one.",
    })),
  ],
];

const OPERATIONS: readonly Row[] = [
  [
    "another value than an operation",
    ofService({ functions: { a: handler, b: action({ handler: () => {} }) } }),
    { message: "`a` of `functions` is a function.", fix: "Declare it with fn({ … })." },
    { message: "`b` of `functions` is the result of action(…).", fix: "Declare it with fn({ … })." },
  ],
  [
    "options",
    ofService({
      functions: { a: fn(untyped({ returns, param: {} })) },
      actions: { b: action(untyped({ handler: 5, composable: true })) },
    }),
    { route: "/a", method: "GET", message: "`a` (fn) has no option `param`.", fix: "Did you mean `params`?" },
    { route: "/a", method: "GET", message: "`a` has no handler.", fix: "Give a `handler` function." },
    { route: "/b", method: "POST", message: "`handler` of `b` (action) cannot be 5.", fix: "Give a function." },
    {
      route: "/b",
      method: "POST",
      message: "`b` (action) has no option `composable`.",
      fix: "Remove it, or use one of `bound`, `params`, `returns`, `annotations`, `authorization`, `handler`, `transactional`.",
    },
    {
      route: "/b",
      method: "POST",
      message: "`b` is composable, but returns no collection of entities or complex values.",
      fix: "Remove `composable`, or return edm.collection of an entity type or of edm.complex.",
    },
  ],
  [
    "an unbound operation with the name of a set",
    {
      entitySets: [orders],
      functions: { Orders: fn({ returns, handler }), go: fn({ returns, handler }), GO: fn({ returns, handler }) },
      actions: { orders: action({ handler: () => {} }) },
    },
    {
      route: "/Orders",
      method: "GET",
      message: 'The entity set of Order and the unbound function `Orders` have the name "Orders".',
      fix: RENAME,
    },
    {
      route: "/GO",
      method: "GET",
      message:
        'The unbound function `go` and the unbound function `GO` have names that differ only in case, "go" and "GO".',
      fix: RENAME,
    },
    {
      route: "/orders",
      method: "POST",
      message:
        'The entity set of Order and the unbound action `orders` have names that differ only in case, "Orders" and "orders".',
      fix: RENAME,
    },
  ],
  [
    "names that are not identifiers, including a parameter",
    ofSet({
      functions: {
        "my-total": fn(Customer, { bound: "collection", params: { "a b": edm.int32() }, returns, handler }),
      },
    }),
    {
      set: "Customers",
      route: "/Customers/my-total",
      method: "GET",
      message: 'The name "my-total" of the function `my-total` of Customers is not an identifier.',
      fix: `${RENAME} ${LETTERS}`,
    },
    {
      set: "Customers",
      route: "/Customers/my-total",
      method: "GET",
      message: 'The name "a b" of the parameter `a b` of `my-total` is not an identifier.',
      fix: `Rename the parameter. ${LETTERS}`,
    },
  ],
  [
    "bound operations of one name, and parameters",
    ofSet({
      functions: {
        go: fn(Customer, { bound: "collection", returns, params: { a: edm.int32(), A: edm.int32() }, handler }),
      },
      actions: {
        Go: action(Customer, { bound: "entity", params: { bindingParameter: edm.int32() }, handler: (_key) => {} }),
      },
    }),
    {
      set: "Customers",
      route: "/Customers({key})/Go",
      method: "POST",
      message:
        'The function `go` of Customers and the action `Go` of Customers have names that differ only in case, "go" and "Go".',
      fix: RENAME,
    },
    {
      set: "Customers",
      route: "/Customers/go",
      method: "GET",
      message:
        'The parameter `a` of `go` and the parameter `A` of `go` have names that differ only in case, "a" and "A".',
      fix: "Rename the parameter.",
    },
    {
      set: "Customers",
      route: "/Customers({key})/Go",
      method: "POST",
      message: 'The binding parameter and the parameter `bindingParameter` of `Go` have the name "bindingParameter".',
      fix: "Rename the parameter.",
    },
  ],
  [
    "bindings in the wrong place",
    {
      entitySets: [
        orders,
        entitySet(
          Customer,
          untyped({
            functions: { a: fn({ returns, handler }), b: fn(Order, { bound: "collection", returns, handler }) },
          }),
        ),
      ],
      functions: untyped({ c: fn(Order, { bound: "collection", returns, handler }) }),
    },
    {
      route: "/c",
      method: "GET",
      message: "`c` is bound to a collection, but is listed with the unbound operations.",
      fix: "Remove `bound`, or move it into an entity set.",
    },
    {
      set: "Customers",
      route: "/Customers/a",
      method: "GET",
      message: "`a` is not bound, but is declared in an entity set.",
      fix: 'Give `bound: "entity"` or `bound: "collection"`, or move it to odataService.',
    },
    {
      set: "Customers",
      route: "/Customers/b",
      method: "GET",
      message: "`b` is bound to Order, but the set contains Customer.",
      fix: "Move it into a set of its type.",
    },
  ],
  [
    "an entity-bound handler without parameters",
    ofSet({ functions: { go: fn(Customer, { bound: "entity", returns, handler }) } }),
    {
      set: "Customers",
      route: "/Customers({key})/go",
      method: "GET",
      message: "The handler of `go`, which is bound to an entity, has no parameter.",
      fix: "Declare the key as the first parameter: (key, parameters, ctx) => …",
    },
  ],
  [
    "entity-bound methods without parameters",
    ofSet({
      functions: {
        go: fn(Customer, {
          bound: "entity",
          returns,
          handler() {
            return "x";
          },
        }),
        wait: fn(Customer, {
          bound: "entity",
          returns,
          async handler() {
            return Promise.resolve("x");
          },
        }),
      },
    }),
    ...["go", "wait"].map((name) => ({
      set: "Customers",
      route: `/Customers({key})/${name}`,
      method: "GET",
      message: `The handler of \`${name}\`, which is bound to an entity, has no parameter.`,
      fix: "Declare the key as the first parameter: (key, parameters, ctx) => …",
    })),
  ],
  [
    "an operation with the path of a property or navigation",
    ofSet({
      navigation: { orders: hasMany(Order, { create: untyped(() => null) }) },
      functions: { Name: fn(Customer, { bound: "entity", returns, handler: (_key) => "x" }) },
      actions: { Orders: action(Customer, { bound: "entity", handler: (_key) => {} }) },
    }),
    {
      set: "Customers",
      route: "/Customers({key})/Name",
      method: "GET",
      message: "The function `Name` and the property Name share a path.",
      fix: "Rename the operation: its key in `functions` or `actions` is its name.",
    },
    {
      set: "Customers",
      route: "/Customers({key})/Orders",
      method: "POST",
      message: "The action `Orders` and the navigation Orders share a path.",
      fix: "Rename the operation: its key in `functions` or `actions` is its name.",
    },
  ],
  [
    "signatures",
    ofService({
      functions: {
        a: fn(untyped({ handler })),
        b: fn(untyped({ handler, returns: "x" })),
        c: fn({
          handler,
          returns: edm.string().default("x"),
          params: { p: edm.int32().json("q"), q: edm.int32().default(1.5) },
        }),
        d: fn(untyped({ handler, returns, params: { p: 5 } })),
        e: fn({ handler, returns, composable: true }),
      },
    }),
    {
      route: "/d",
      method: "GET",
      message: "The parameter `p` of `d` is 5.",
      fix: "Declare its type with a builder, such as edm.int32().",
    },
    {
      route: "/a",
      method: "GET",
      message: "The function `a` returns nothing.",
      fix: "Give `returns`, or declare an action: a function without a result has no meaning.",
    },
    {
      route: "/b",
      method: "GET",
      message: '`returns` of `b` cannot be "x".',
      fix: "Give a builder such as edm.decimal(), an entity type, or edm.collection of either.",
    },
    {
      route: "/c",
      method: "GET",
      message: "`.json()` has no effect on the parameter `p` of `c`.",
      fix: "Remove it: the key in `params` is the name.",
    },
    {
      route: "/c",
      method: "GET",
      message: expect.stringMatching(
        /^The default of the parameter `q` of `c` is not a value of its type: .*Edm\.Int32/,
      ) as string,
      fix: "Give a value of the type.",
    },
    {
      route: "/c",
      method: "GET",
      message: "`.default()` has no effect on the result of `c`.",
      fix: "Remove it.",
    },
    {
      route: "/e",
      method: "GET",
      message: "`e` is composable, but returns no collection of entities or complex values.",
      fix: "Remove `composable`, or return edm.collection of an entity type or of edm.complex.",
    },
  ],
  [
    "one operation with two signatures on one type",
    {
      entitySets: [
        entitySet(Order, { functions: { go: fn({ bound: "collection", returns, handler }) } }),
        entitySet(Order, {
          name: "Others",
          functions: { go: fn({ bound: "collection", returns: edm.int32(), handler: () => 1 }) },
        }),
      ],
    },
    {
      set: "Others",
      route: "/Others/go",
      method: "GET",
      message: "`go` has a different signature here than in the set Orders of the same type.",
      fix: "Give both the same parameters and result, or two names.",
    },
  ],
];

const RULE_FIX =
  "Use `authenticated()`, `role(…)`, `anyOf(…)` or `resource(…)`, or a list of rules that must all pass.";
const BY_ENTITY = "Move it into the `authorization` of an entity set.";
const mine = resource(() => true);
const rows = (): typeof allRows => allRows;

function ofRules(authorization: unknown): object {
  return ofSet({ authorization });
}

/** A service with an unbound action that has these rules. */
function ofAction(authorization: unknown): object {
  return ofService({ actions: { ping: action(untyped({ authorization, handler: noRow })) } });
}

function ruleFault(message: string, fix: string): ConfigurationFault {
  return { set: "Customers", message, fix };
}

const RULES: readonly Row[] = [
  ...(
    [
      [5, "5"],
      [null, "null"],
      ["admin", '"admin"'],
      [[authenticated()], "an array"],
    ] as const
  ).map(([given, is]): Row => {
    const fix = "Give an object of categories, such as { all: authenticated() }.";
    return [`${is} as rules`, ofRules(given), ruleFault(`\`authorization\` of entitySet is ${is}.`, fix)];
  }),
  [
    "a rule without its category",
    ofRules(authenticated()),
    ruleFault(
      "`authorization` of entitySet is a rule.",
      "Give an object of categories, such as { all: authenticated() }.",
    ),
  ],
  [
    "a misspelt category",
    ofRules({ updat: authenticated(), Read: authenticated() }),
    ruleFault("`authorization` has no category `updat`.", "Did you mean `update`?"),
    ruleFault("`authorization` has no category `Read`.", "Did you mean `read`?"),
  ],
  [
    "an unknown category",
    ofRules({ write: [], constructor: authenticated() }),
    ruleFault(
      "`authorization` has no category `write`.",
      "Remove it, or use one of `all`, `read`, `create`, `update`, `delete`, `invoke`, `rows`, `properties`.",
    ),
    ruleFault(
      "`authorization` has no category `constructor`.",
      "Remove it, or use one of `all`, `read`, `create`, `update`, `delete`, `invoke`, `rows`, `properties`.",
    ),
  ],
  [
    "another value than a rule",
    ofRules({ all: authenticated, read: "admin", create: null, update: true, delete: {}, invoke: [[role("a")]] }),
    ruleFault("`authorization.all` is a function.", RULE_FIX),
    ruleFault('`authorization.read` is "admin".', RULE_FIX),
    ruleFault("`authorization.create` is null.", RULE_FIX),
    ruleFault("`authorization.update` is true.", RULE_FIX),
    ruleFault("`authorization.delete` is an object.", RULE_FIX),
    ruleFault("`authorization.invoke` contains an array at position 0.", RULE_FIX),
  ],
  [
    "another value after a rule",
    ofRules({ update: [role("editor"), "admin", undefined] }),
    ruleFault('`authorization.update` contains "admin" at position 1.', RULE_FIX),
    ruleFault("`authorization.update` contains undefined at position 2.", RULE_FIX),
  ],
  [
    "an inherited value that is not a rule",
    ofRules(Object.create({ all: 5 })),
    ruleFault("`authorization.all` is 5.", RULE_FIX),
  ],
  [
    "an object that looks like a rule",
    ofRules({ all: { kind: "AuthorizationRule", requires: { kind: "nobody" } } }),
    ruleFault("`authorization.all` contains an unknown kind of rule.", RULE_FIX),
  ],
  ...[undefined, null, 5, "", "  "].map((name): Row => {
    const is = typeof name === "string" ? `"${name}"` : String(name);
    const fix = 'Give the name of a role: role("editor").';
    return [
      `role(${is})`,
      ofRules({ all: role(untyped(name)) }),
      ruleFault(`\`authorization.all\` contains role(${is}).`, fix),
    ];
  }),
  [
    "anyOf without rules",
    ofRules({ all: anyOf() }),
    ruleFault(
      "`authorization.all` contains anyOf() without rules, which no user passes.",
      "Pass rules, one of which must pass.",
    ),
  ],
  ...(
    [
      [5, "5"],
      [null, "null"],
      [undefined, "undefined"],
      [[role("a"), role("b")], "an array"],
      [authenticated, "a function"],
    ] as const
  ).map(([given, is]): Row => {
    return [
      `anyOf of ${is}`,
      ofRules({ read: anyOf(authenticated(), untyped(given)) }),
      ruleFault(
        `\`authorization.read\` contains anyOf(…) of ${is}.`,
        'Give each rule as an argument: anyOf(role("editor"), role("admin")).',
      ),
    ];
  }),
  [
    "faults within anyOf within anyOf",
    ofRules({ read: anyOf(anyOf(role(""), anyOf()), role("a")) }),
    ruleFault('`authorization.read` contains role("").', 'Give the name of a role: role("editor").'),
    ruleFault(
      "`authorization.read` contains anyOf() without rules, which no user passes.",
      "Pass rules, one of which must pass.",
    ),
  ],
  [
    "resource without a check",
    ofRules({ delete: resource(untyped("ownerId")) }),
    ruleFault(
      '`authorization.delete` contains resource("ownerId").',
      "Give a function: resource((user, order) => order.ownerId === user.id).",
    ),
  ],
  ...[true, null, allRows].map((given): Row => {
    const is = typeof given === "object" && given !== null ? "an object" : String(given);
    const fix = "Give a function that returns a condition: (user, row) => row.ownerId.eq(user.id).";
    return [`${is} as rows`, ofRules({ rows: given }), ruleFault(`\`authorization.rows\` is ${is}.`, fix)];
  }),
  [
    "faults in the rules of the registration",
    ofService({ authorization: [authenticated, role("")] }),
    { message: "`authorization` of odataService contains a function at position 0.", fix: RULE_FIX },
    { message: '`authorization` of odataService contains role("").', fix: 'Give the name of a role: role("editor").' },
  ],
  [
    "categories of the registration",
    ofService({ authorization: { all: authenticated() } }),
    { message: "`authorization` of odataService is an object.", fix: RULE_FIX },
  ],
  [
    "a check of entities in the registration",
    ofService({ authorization: [authenticated(), anyOf(role("a"), mine)] }),
    {
      message: "`authorization` of odataService contains resource(…), but these requests address no entity.",
      fix: BY_ENTITY,
    },
  ],
  [
    "faults in the rules of an unbound operation",
    ofAction("admin"),
    { route: "/ping", method: "POST", message: '`authorization` of `ping` is "admin".', fix: RULE_FIX },
  ],
  [
    "a check of entities in an unbound operation",
    ofAction(mine),
    {
      route: "/ping",
      method: "POST",
      message: "`authorization` of `ping` contains resource(…), but these requests address no entity.",
      fix: BY_ENTITY,
    },
  ],
  [
    "rules of bound operations",
    ofSet({
      getByKey: noRow,
      functions: { late: fn({ bound: "collection", returns, authorization: [], handler }) },
      actions: { go: action({ bound: "entity", authorization: role("a"), handler: (key) => void key }) },
    }),
    {
      set: "Customers",
      route: "/Customers/late",
      method: "GET",
      message: "`late` has `authorization`, but is bound: the `invoke` rules of its set apply.",
      fix: "Move its rules to `authorization.invoke` of the set.",
    },
    {
      set: "Customers",
      route: "/Customers({key})/go",
      method: "POST",
      message: "`go` has `authorization`, but is bound: the `invoke` rules of its set apply.",
      fix: "Move its rules to `authorization.invoke` of the set.",
    },
  ],
  ...[undefined, []].map((authorization): Row => [
    `an unbound operation without rules beside a guarded set, and ${authorization === undefined ? "no" : "empty"} rules of the registration`,
    {
      authorization,
      entitySets: [orders, entitySet(Customer, { authorization: { delete: authenticated() } })],
      functions: { open: fn({ returns, authorization: [], handler }), greet: fn({ returns, handler }) },
      actions: { ping: action({ authorization: authenticated(), handler: () => {} }) },
    },
    {
      route: "/greet",
      method: "GET",
      message: "`greet` and odataService have no `authorization`, but Customers has rules.",
      fix: "Give it `authorization: authenticated()`, or `authorization: []` if every client may call it.",
    },
  ]),
];

/** The faults of a set of Customer with these rules and without `getByKey`. */
function unloaded(category: string, route: string, method: string): ConfigurationFault {
  return {
    set: "Customers",
    route,
    method,
    message: `\`${category}\` requires resource(…), but no \`getByKey\` loads the entity that it checks.`,
    fix: "Declare getByKey, or remove resource(…).",
  };
}

function unshown(route: string, method: string): ConfigurationFault {
  return {
    set: "Customers",
    route,
    method,
    message:
      "`authorization.rows` hides entities, but without `getByKey` the service cannot check whether an entity is hidden.",
    fix: "Declare getByKey.",
  };
}

function navigationOf(options: object): object {
  return { orders: hasMany(untyped(Order), options) };
}

const go = action({ bound: "entity", handler: (key) => void key });

/** Options of a set that address an entity, with their first route. */
const ADDRESSING: ReadonlyArray<readonly [category: string, options: object, route: string, method: string]> = [
  ["update", { replace: noRow }, "/Customers({key})", "PUT"],
  ["update", { patch: noRow }, "/Customers({key})", "PATCH"],
  ["delete", { delete: noRow }, "/Customers({key})", "DELETE"],
  ["read", { navigation: navigationOf({ get: noRow }) }, "/Customers({key})/Orders", "GET"],
  ["read", { navigation: navigationOf({ getBatch: noRow }) }, "/Customers({key})/Orders", "GET"],
  ["create", { navigation: navigationOf({ create: noRow }) }, "/Customers({key})/Orders", "POST"],
  ["create", { navigation: navigationOf({ addRef: noRow }) }, "/Customers({key})/Orders/$ref", "POST"],
  [
    "update",
    { navigation: { top: hasOptional(Order, { setRef: noRow as never }) } },
    "/Customers({key})/Top/$ref",
    "PUT",
  ],
  ["update", { navigation: navigationOf({ removeRef: noRow }) }, "/Customers({key})/Orders/$ref", "DELETE"],
  ["invoke", { actions: { go } }, "/Customers({key})/go", "POST"],
  [
    "invoke",
    { functions: { all: fn({ bound: "entity", returns, handler: (key) => String(key) }) } },
    "/Customers({key})/all",
    "GET",
  ],
];

const UNQUERIED = "`read` requires resource(…), which cannot be part of a query";
const ROWS_FIX = "Give `authorization.rows` of Customers: the condition on the rows that queries return.";

const GUARDS: readonly Row[] = [
  ...ADDRESSING.map(([category, options, route, method]): Row => [
    `a check of entities that nothing loads: ${method} ${route}`,
    ofSet({ ...options, authorization: { [category]: [authenticated(), anyOf(role("a"), mine)] } }),
    unloaded(category, route, method),
  ]),
  ...ADDRESSING.map(([, options, route, method]): Row => [
    `rows without what tells of one: ${method} ${route}`,
    ofSet({ ...options, authorization: { rows } }),
    unshown(route, method),
  ]),
  [
    "a check for all categories, each by its first route",
    ofSet({
      patch: noRow,
      replace: noRow,
      delete: noRow,
      create: noRow,
      actions: { go },
      authorization: { all: mine, delete: role("admin") },
    }),
    unloaded("update", "/Customers({key})", "PUT"),
    unloaded("invoke", "/Customers({key})/go", "POST"),
  ],
  [
    "a check of an entity along a navigation that cannot be loaded",
    {
      entitySets: [
        entitySet(Order, { navigation: { customer: hasRequired(Customer, { target: "Customers" }) } }),
        entitySet(Customer, { authorization: { read: mine, rows } }),
      ],
    },
    unloaded("read", "/Orders({key})/Customer", "GET"),
  ],
  ...["queryable", "getAll", "applyQuery"].map((form): Row => [
    `a check of entities where ${form} reads the collection`,
    ofSet({ [form]: noRow, getByKey: noRow, authorization: { all: anyOf(role("a"), mine) } }),
    {
      set: "Customers",
      route: "/Customers",
      method: "GET",
      message: `${UNQUERIED}, but the collection can be read and the set has no \`rows\`.`,
      fix: ROWS_FIX,
    },
  ]),
  [
    "a check of entities that another set leads to",
    {
      entitySets: [
        entitySet(Order, { navigation: { customer: hasRequired(Customer, { target: "Customers" }) } }),
        entitySet(Customer, { getByKey: noRow, authorization: { read: mine } }),
      ],
    },
    {
      set: "Customers",
      route: "/Orders({key})/Customer",
      method: "GET",
      message: `${UNQUERIED}, but \`customer\` of Orders leads to this set, which has no \`rows\`.`,
      fix: ROWS_FIX,
    },
  ],
  ...(["addRef", "removeRef"] as const).map((handler): Row => [
    `rows that another set refers to, and nothing tells of one: ${handler}`,
    {
      entitySets: [
        entitySet(Order, { navigation: { customers: hasMany(Customer, { target: "Customers", [handler]: noRow }) } }),
        entitySet(Customer, { authorization: { rows } }),
      ],
    },
    unshown("/Orders({key})/Customers/$ref", handler === "addRef" ? "POST" : "DELETE"),
  ]),
  [
    "a check of entities for an operation bound to a collection",
    ofSet({
      getByKey: noRow,
      functions: { late: fn({ bound: "collection", returns, handler }) },
      authorization: { invoke: mine },
    }),
    {
      set: "Customers",
      route: "/Customers/late",
      method: "GET",
      message: "`late` is bound to a collection, but `invoke` requires resource(…), which checks one entity.",
      fix: "Bind it to an entity, or remove resource(…) from the rules for `invoke`.",
    },
  ],
  ...(
    [
      ["its own handler", "/Customers", { create: noRow }, {}, {}],
      [
        "a navigation",
        "/Orders({key})/Customers",
        {},
        { navigation: { customers: hasMany(Customer, { target: "Customers", create: noRow }) } },
        {},
      ],
      [
        "a deep insert",
        "/Orders",
        {},
        {
          create: noRow,
          allowDeepInsert: true,
          navigation: { customers: hasMany(Customer, { target: "Customers" }) },
        },
        {},
      ],
      [
        "a deep insert by default",
        "/Orders",
        {},
        { create: noRow, navigation: { customers: hasMany(Customer, { target: "Customers" }) } },
        { allowDeepInsert: true },
      ],
      [
        "a deep insert of two levels",
        "/Lines",
        {},
        { navigation: { customers: hasMany(Customer, { target: "Customers" }) } },
        {},
        [
          entitySet(
            entityType("Line", { id: edm.int32().key() }),
            untyped({
              create: noRow,
              allowDeepInsert: true,
              navigation: { orders: hasMany(Order, { target: "Orders" }) },
            }),
          ),
        ],
      ],
    ] as const
  ).map(([way, route, own, others, defaults, more = []]): Row => [
    `keys that clients choose, where hidden ones might have them: by ${way}`,
    {
      defaults,
      entitySets: [
        entitySet(Customer, untyped({ ...own, authorization: { rows } })),
        entitySet(Order, untyped(others)),
        ...more,
      ],
    },
    {
      set: "Customers",
      route,
      method: "POST",
      message:
        "Clients choose the keys of new entities, but without `getByKey` the service cannot check whether a hidden entity has the key.",
      fix: "Declare getByKey, or a key that is computed.",
    },
  ]),
  [
    "a navigation without the target set that has a row rule",
    {
      entitySets: [
        entitySet(Order, { navigation: { customer: hasRequired(Customer, { on: { customerId: "id" } }) } }),
        entitySet(Customer, { authorization: { rows } }),
        entitySet(Customer, { name: "Clients", authorization: { rows } }),
        entitySet(Customer, { name: "People" }),
      ],
    },
    {
      set: "Orders",
      route: "/Orders({key})/Customer",
      method: "GET",
      message: "`customer` leads to Customer without a `target`, but Customers, Clients hides rows.",
      fix: 'Give `target`: "Customers" or "Clients".',
    },
  ],
];

describe.each([
  ["a registration", SERVICE],
  ["an entity set", SETS],
  ["a type", TYPES],
  ["a navigation", NAVIGATIONS],
  ["a navigation through a link table", LINKS],
  ["an operation", OPERATIONS],
  ["rules", RULES],
  ["the requirements of rules", GUARDS],
])("startup refuses in %s", (_where, rows) => {
  test.each(rows)("%s", (_title, options, ...faults) => {
    expect(faultsOf(options)).toEqual(faults);
  });
});

describe("startup refuses as a default", () => {
  test.each(DEFAULTS)("%s", (_title, property, part) => {
    const [fault, ...others] = faultsOf(ofType({ value: property }));
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ set: "Thing", fix: "Give a value of the type." });
    expect(fault?.message).toMatch(/^The default of the property `value` of Thing is not a value of its type: /);
    expect(fault?.message).toContain(part);
  });
});

describe("startup", () => {
  test("lists the faults of all rules in one error", () => {
    const run = (): unknown =>
      buildServiceDefinition(
        { prefix: "x/", entitySets: [entitySet(Customer, untyped({ maxTop: -1, etag: ["x"] }))] },
        logger,
        ROW_RULES,
        bindAnnotations,
      );
    expect(run).toThrow(ConfigurationError);
    expect(run).toThrow(`The service cannot start: 3 faults in its declarations.
  1. Customers: \`maxTop\` of entitySet cannot be -1. Give a whole number of 1 or more, or null for no limit.
  2. \`prefix\` of odataService cannot be "x/". ${PREFIX_FIX}
  3. Customers: \`etag\` names \`x\`, which Customer does not have.`);
  });

  test.each<readonly [string, ServiceOptions]>([
    ["a set without any operation", { entitySets: [orders] }],
    ["an empty list of sets", { entitySets: [] }],
    ["a set that is listed twice", { entitySets: [orders, orders] }],
    [
      "an explicit undefined everywhere",
      {
        entitySets: [entitySet(Order, { maxTop: undefined, name: undefined })],
        prefix: undefined,
        name: undefined,
        batch: undefined,
        routes: [],
      },
    ],
    ["batch: false, the specification's profile", { entitySets: [], batch: false, profile: "specification" }],
    [
      "an entity-bound handler with a rest parameter",
      {
        entitySets: [
          entitySet(Order, {
            functions: { a: fn(Order, { bound: "entity", returns, handler: (...all) => String(all[0]) }) },
          }),
        ],
      },
    ],
    [
      "operations and properties whose names differ in case",
      {
        entitySets: [
          entitySet(Order, {
            functions: { id: fn(Order, { bound: "entity", returns, handler: (key) => String(key) }) },
          }),
        ],
      },
    ],
    [
      "rules and lists of them, empty ones too",
      {
        authorization: [authenticated(), anyOf(role("a"), role("b"))],
        entitySets: [entitySet(Order, { authorization: { all: [], read: undefined, create: resource(() => true) } })],
        functions: { open: fn({ returns, handler }) },
      },
    ],
    [
      "an unbound operation without rules if no set has rules",
      {
        entitySets: [entitySet(Order, { authorization: { all: [], rows: undefined } })],
        functions: { open: fn({ returns, handler }) },
      },
    ],
    [
      "rows and checks where everything can be judged",
      {
        entitySets: [
          entitySet(Order, {
            getAll: () => [],
            getByKey: () => null,
            patch: () => null,
            navigation: { next: hasOptional(Order, { target: "Orders", get: () => null }) },
            functions: { go: fn({ bound: "entity", returns, handler: (key) => String(key) }) },
            authorization: { all: resource(() => true), rows: (_user, row) => row.id.eq(1n) },
          }),
        ],
      },
    ],
    [
      "rows of a set that is only read whole",
      { entitySets: [entitySet(Order, { getAll: () => [], authorization: { rows: () => allRows } })] },
    ],
    [
      "rows of a set that makes the keys of what is created",
      {
        entitySets: [
          entitySet(entityType("Entry", { id: edm.int64().key().computed() }), {
            create: () => null,
            authorization: { rows: () => allRows },
          }),
        ],
      },
    ],
    [
      "rows of a set whose database refuses keys that are taken",
      {
        entitySets: [
          {
            ...entitySet(Order, { create: noRow, authorization: { rows: () => allRows } }),
            handlersCheckingRows: [noRow],
          },
        ],
      },
    ],
    [
      "rows beside a handler that is not offered for this target",
      {
        entitySets: [
          entitySet(Order, {
            navigation: {
              next: hasMany(Order, {
                target: "Orders",
                create: Object.assign(() => null, { isOffered: (): boolean => false }),
              }),
            },
            authorization: { rows: () => allRows },
          }),
        ],
      },
    ],
    [
      "a check of only the created entity",
      { entitySets: [entitySet(Order, { create: () => null, authorization: { create: resource(() => true) } })] },
    ],
    [
      "a check that another list of rules replaces",
      {
        entitySets: [
          entitySet(Order, { getAll: () => [], authorization: { all: resource(() => true), read: authenticated() } }),
        ],
      },
    ],
    [
      "entity-bound handlers that take the key in their own way",
      {
        entitySets: [
          entitySet(
            Customer,
            untyped({
              functions: Object.fromEntries(
                [
                  (...all: unknown[]) => String(all[0]),
                  (key = 1) => String(key),
                  ({ key } = { key: 1 }) => String(key),
                  ((key: unknown) => String(key)).bind(null, 1),
                  String,
                ].map((own, index) => [
                  `go${index}`,
                  fn(Customer, { bound: "entity", returns, handler: untyped(own) }),
                ]),
              ),
            }),
          ),
          orders,
        ],
      },
    ],
    [
      "one type in two sets",
      { entitySets: [orders, entitySet(Order, { name: "Others", navigation: { next: hasOptional(Order) } })] },
    ],
  ])("accepts %s", (_title, options) => {
    expect(faultsOf(options)).toEqual([]);
  });
});
