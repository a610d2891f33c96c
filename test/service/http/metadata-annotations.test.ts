import {
  ConfigurationError,
  action,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasRequired,
  odataService,
  authenticated,
  type Annotations,
  type ODataService,
  type ServiceOptions,
} from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { faultsOfSchema, readCsdl } from "../../payload/csdl/validate-csdl.ts";

const Status = enumType(
  "Status",
  { Draft: 0, Paid: 1 },
  {
    annotations: { "Core.LongDescription": "The state of an order" },
    memberAnnotations: { Paid: { "Core.Description": "Money is here" } },
  },
);

const Address = complexType(
  "Address",
  { city: edm.string().annotate({ "Common.Label": "City" }), zip: edm.string() },
  { annotations: { "Core.Description#de": "Anschrift" } },
);

const Customer = entityType(
  "Customer",
  { id: edm.int32().key(), name: edm.string(), secret: edm.string().ignored() },
  {
    annotations: {
      "UI.HeaderInfo": { TypeName: "Customer", TypeNamePlural: "Customers", Title: { Value: { $Path: "name" } } },
    },
  },
);

const Order = entityType(
  "Order",
  {
    id: edm.int32().key(),
    customerId: edm.int32().annotate({
      "Common.Label": 'Buyer <b> & "co"',
      "Common.Text": { $Path: "customer/name" },
      "@Common.Text@UI.TextArrangement": "TextOnly",
      "Common.ValueList": {
        CollectionPath: "Customers",
        Parameters: [
          { "@type": "Common.ValueListParameterInOut", LocalDataProperty: "customerId", ValueListProperty: "id" },
          { $Type: "Common.ValueListParameterDisplayOnly", ValueListProperty: "name" },
        ],
      },
    }),
    status: edm.enum(Status),
    amount: edm.decimal({ precision: 10, scale: 2 }).annotate({ "Measures.ISOCurrency": "EUR" }),
    address: edm.complex(Address),
  },
  {
    annotations: {
      "UI.LineItem": [
        { Value: { $Path: "id" }, "@UI.Importance": "High" },
        { "@type": "UI.DataFieldWithNavigationPath", Value: { $Path: "address/city" }, Target: "customer" },
        { "@type": "#UI.DataFieldForAnnotation", Target: "@UI.FieldGroup#Main" },
      ],
      "UI.FieldGroup#Main": { Label: "Main", Data: [{ Value: { $Path: "amount" } }] },
      "UI.SelectionFields": ["status", "customerId"],
      "Core.LongDescription": "An order",
    },
  },
);

function shop(more: Partial<ServiceOptions> = {}): ODataService {
  return odataService({
    namespace: "Shop",
    entitySets: [
      entitySet(Order, {
        getAll: () => [],
        annotations: { "Capabilities.InsertRestrictions": { Insertable: false, Description: "Ask a clerk" } },
        navigation: {
          customer: hasRequired(Customer, {
            on: { customerId: "id" },
            target: "Customers",
            annotations: { "Core.Description": "Who pays" },
          }),
        },
        actions: {
          approve: action({
            bound: "entity",
            params: { note: edm.string().annotate({ "UI.MultiLineText": true }) },
            annotations: {
              "Core.OperationAvailable": { $Path: "bindingParameter/status" },
            },
            handler: (_key: number) => undefined,
          }),
        },
      }),
      entitySet(Customer, { getAll: () => [], navigation: { orders: hasMany(Order, { target: "Orders" }) } }),
    ],
    functions: {
      now: fn({ returns: edm.string(), annotations: { "Core.Description": "The time" }, handler: () => "" }),
    },
    annotations: { "Core.LongDescription": "All of the shop" },
    vocabularies: { X: { namespace: "com.example.X", uri: "https://example.com/x.xml" } },
    ...more,
  });
}

async function metadataOf(service: ODataService): Promise<string> {
  return (await service.fetch(new Request("http://localhost/$metadata"))).text();
}

describe("descriptions of the API", () => {
  test("contain the descriptions of elements", () => {
    const document = openApiDocument([shop()]) as unknown as {
      readonly components: { readonly schemas: Record<string, { readonly description?: string }> };
      readonly paths: Record<string, Record<string, { readonly description?: string }>>;
      readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>;
    };
    const { schemas } = document.components;
    expect(schemas["Status"]?.description).toBe("The state of an order");
    expect(schemas["Order"]).toMatchObject({
      description: "An order",
      properties: { Customer: { description: "Who pays" } },
    });
    expect(document.paths["/now"]?.["get"]?.description).toBe("The time");
    expect(document.tags).toContainEqual({ name: "Orders", description: "An order" });
  });

  test("join a description and a long description", () => {
    const type = entityType("Thing", {
      id: edm.int32().key(),
      name: edm.string().annotate({ "Core.Description": "Short" }).annotate({ "Core.LongDescription": "Long" }),
    });
    const echo = fn({
      params: {
        text: edm.string().annotate({ "Core.Description": "Any text" }),
        many: edm.collection(edm.string()).annotate({ "Core.Description": "Texts" }),
      },
      returns: edm.string(),
      annotations: { "Core.Description": "Echoes" },
      authorization: authenticated(),
      handler: ({ text }) => text,
    });
    const say = action({
      params: { text: edm.string().annotate({ "Core.Description": "Any text" }) },
      handler: () => undefined,
    });
    const document = openApiDocument([
      odataService({
        authenticate: () => null,
        entitySets: [entitySet(type, { getAll: () => [] })],
        functions: { echo },
        actions: { say },
      }),
    ]);
    expect(document).toMatchObject({
      components: { schemas: { Thing: { properties: { Name: { description: "Short\n\nLong" } } } } },
      paths: {
        "/echo": {
          get: {
            description: expect.stringMatching(/^Echoes\n\nRequires /) as unknown,
            parameters: [
              { name: "text", description: "Any text" },
              { name: "many", description: "Texts\n\nAs JSON." },
            ],
          },
        },
        "/say": {
          post: {
            requestBody: {
              content: { "application/json": { schema: { properties: { text: { description: "Any text" } } } } },
            },
          },
        },
      },
    });
  });
});

type Csdl = Record<string, Record<string, unknown>>;

const schemaOf = (xml: string): Csdl => (readCsdl(xml) as { readonly Shop: Csdl }).Shop;

describe("annotations in $metadata", () => {
  test("are valid, and use aliases that the references declare", async () => {
    const xml = await metadataOf(shop());
    expect(await faultsOfSchema(xml)).toEqual([]);
    for (const [alias, namespace] of [
      ["Core", "Org.OData.Core.V1"],
      ["Capabilities", "Org.OData.Capabilities.V1"],
      ["Measures", "Org.OData.Measures.V1"],
      ["Common", "com.sap.vocabularies.Common.v1"],
      ["UI", "com.sap.vocabularies.UI.v1"],
    ] as const) {
      expect(xml).toContain(`<edmx:Include Namespace="${namespace}" Alias="${alias}"/>`);
    }
    expect(xml).not.toContain("com.example.X");
  });

  test("of properties have the wire names of paths, and the types of their vocabulary", async () => {
    const xml = await metadataOf(shop());
    expect(schemaOf(xml)["Order"]?.["CustomerId"]).toEqual({
      $Type: "Edm.Int32",
      "@Common.Label": 'Buyer <b> & "co"',
      "@Common.Text": { $Path: "Customer/Name" },
      "@Common.Text@UI.TextArrangement": "TextOnly",
      "@Common.ValueList": {
        CollectionPath: "Customers",
        Parameters: [
          {
            "@odata.type": expect.stringMatching(/#Common.ValueListParameterInOut$/) as unknown,
            LocalDataProperty: "CustomerId",
            ValueListProperty: "Id",
          },
          {
            "@odata.type": expect.stringMatching(/#Common.ValueListParameterDisplayOnly$/) as unknown,
            ValueListProperty: "Name",
          },
        ],
      },
    });
    expect(xml).toContain('<PropertyValue Property="LocalDataProperty" PropertyPath="CustomerId"/>');
    expect(xml).toContain('<PropertyValue Property="ValueListProperty" String="Id"/>');
    expect(xml).toContain('<Annotation Term="UI.TextArrangement" EnumMember="UI.TextArrangementType/TextOnly"/>');
    expect(xml).toContain('<Annotation Term="Common.Label" String="Buyer &lt;b&gt; &amp; &quot;co&quot;"/>');
  });

  test("of types have collections, records, qualifiers, and the only type that fits", async () => {
    const xml = await metadataOf(shop());
    expect(schemaOf(xml)["Order"]).toMatchObject({
      "@UI.LineItem": [
        { Value: { $Path: "Id" }, "@UI.Importance": "High" },
        { Value: { $Path: "Address/City" }, Target: "Customer" },
        { Target: "@UI.FieldGroup#Main" },
      ],
      "@UI.FieldGroup#Main": { Label: "Main", Data: [{ Value: { $Path: "Amount" } }] },
      "@UI.SelectionFields": ["Status", "CustomerId"],
      "@Core.LongDescription": "An order",
    });
    expect(xml.match(/<Record Type="UI.DataField">/g)).toHaveLength(3);
    expect(xml).toContain('<PropertyValue Property="Target" NavigationPropertyPath="Customer"/>');
    expect(xml).toContain("<PropertyPath>Status</PropertyPath>");
    expect(schemaOf(xml)["Address"]).toMatchObject({ "@Core.Description#de": "Anschrift" });
  });

  test("apply to enumerations, members, navigations, operations, parameters and the container", async () => {
    const schema = schemaOf(await metadataOf(shop()));
    expect(schema["Status"]).toMatchObject({
      "@Core.LongDescription": "The state of an order",
      "Paid@Core.Description": "Money is here",
    });
    expect(schema["Order"]?.["Customer"]).toMatchObject({ "@Core.Description": "Who pays" });
    expect(schema["approve"]).toMatchObject([
      {
        $Parameter: [{}, { $Name: "note", "@UI.MultiLineText": true }],
        "@Core.OperationAvailable": { $Path: "bindingParameter/Status" },
      },
    ]);
    expect(schema["now"]).toMatchObject([{ "@Core.Description": "The time" }]);
    expect(schema["Container"]).toMatchObject({ "@Core.LongDescription": "All of the shop" });
  });

  test("replace those of the service with the same term", async () => {
    const xml = await metadataOf(shop());
    const container = schemaOf(xml)["Container"] as Csdl;
    expect(container["Orders"]).toMatchObject({
      "@Capabilities.InsertRestrictions": { Insertable: false, Description: "Ask a clerk" },
    });
    // The other set keeps that of the service.
    expect(xml.match(/Term="Org\.OData\.Capabilities\.V1\.InsertRestrictions"/g)).toHaveLength(1);
  });

  test.each(["inline", "external"] as const)(
    "a description replaces nothing of the service, in the %s form",
    async (annotationForm) => {
      const warnings: unknown[] = [];
      const Color = enumType("Color", { Red: 0 }).describe("colors");
      const Size = complexType("Size", { width: edm.int32().describe("a width") }).describe("sizes");
      const type = entityType(
        "Thing",
        {
          id: edm.int32().key().annotate({ "Core.Description": "a number" }),
          color: edm.enum(Color).describe("a color"),
          size: edm.complex(Size),
        },
        { annotations: { "Core.Description": "things" } },
      );
      const service = odataService({
        annotationForm,
        entitySets: [entitySet(type, { getAll: () => [] }).describe("all things")],
        logger: { error: () => undefined, info: () => undefined, warn: (message) => void warnings.push(message) },
      });
      const xml = await metadataOf(service);
      for (const text of ["colors", "sizes", "a width", "a number", "a color", "things", "all things"]) {
        expect(xml.split(`String="${text}"`)).toHaveLength(2);
      }
      expect(warnings).toEqual([]);
    },
  );

  test.each(["inline", "external"] as const)(
    "that replace those of the service are logged once each, in the %s form",
    async (annotationForm) => {
      const warnings: unknown[] = [];
      const type = entityType("Thing", {
        id: edm.int32().key(),
        made: edm.string().computed().annotate({ "Core.Computed": false, "Core.Computed#other": true }),
        text: edm.string().annotate({ "Core.Immutable": true }),
      });
      const service = odataService({
        annotationForm,
        entitySets: [
          entitySet(type, {
            getAll: () => [],
            annotations: { "Capabilities.InsertRestrictions": { Insertable: false }, "Core.Description": "Things" },
          }),
        ],
        annotations: { "Capabilities.FilterFunctions": ["contains"] },
        functions: {
          say: fn({
            params: { text: edm.string().default("").annotate({ "Core.OptionalParameter": {} }) },
            returns: edm.string(),
            handler: () => "",
          }),
        },
        logger: {
          error: () => expect.unreachable(),
          info: () => undefined,
          warn: (message, fields) => void warnings.push([message, fields]),
        },
      });
      await metadataOf(service);
      // JSON is made of the same elements at its first request.
      const json = await service.fetch(new Request("http://host.example/$metadata?$format=json"));
      expect(json.status).toBe(200);
      const warning = (term: string, element: string): unknown => [
        `The annotation ${term} of the ${element} replaces that of the service in $metadata only.`,
        { term, element, fix: "Remove it, unless clients need it: the service behaves as before." },
      ];
      expect(warnings).toEqual([
        warning("Core.Computed", "type Thing/Made"),
        warning("Core.OptionalParameter", "operation say/text"),
        warning("Capabilities.InsertRestrictions", "set Things"),
        warning("Capabilities.FilterFunctions", "container"),
      ]);
    },
  );

  test("with the external form stand apart, except those of operations and parameters", async () => {
    const inline = await metadataOf(shop());
    const xml = await metadataOf(shop({ annotationForm: "external" }));
    expect(await faultsOfSchema(xml)).toEqual([]);
    const targets = [...xml.matchAll(/<Annotations Target="([^"]*)">/g)].map(([, target]) => target);
    expect(targets.toSorted((a = "", b = "") => (a < b ? -1 : 1))).toEqual([
      "Shop.Address",
      "Shop.Address/City",
      "Shop.Container",
      "Shop.Container/Customers",
      "Shop.Container/Orders",
      "Shop.Customer",
      "Shop.Order",
      "Shop.Order/Amount",
      "Shop.Order/Customer",
      "Shop.Order/CustomerId",
      "Shop.Status",
      "Shop.Status/Paid",
    ]);
    const apart = [...xml.matchAll(/<Annotations .*?<\/Annotations>/gs)].join("");
    const others = xml
      .replaceAll(/<(?:Function|Action) .*?<\/(?:Function|Action)>/gs, "")
      .replaceAll(/<Annotations .*?<\/Annotations>/gs, "");
    expect(others).not.toContain("<Annotation");
    expect(apart).toContain("Org.OData.Capabilities.V1.UpdateRestrictions");
    expect(xml.match(/<Annotation /g)).toHaveLength(inline.match(/<Annotation /g)?.length ?? 0);
    expect(schemaOf(xml)["approve"]).toEqual(schemaOf(inline)["approve"]);
  });

  test("of the service stand apart in the external form, without any of the application", async () => {
    const type = entityType("Thing", { id: edm.int32().key(), made: edm.string().computed() });
    const options = { namespace: "N", entitySets: [entitySet(type, { getAll: () => [], etag: ["made"] })] };
    const inline = await metadataOf(odataService(options));
    const xml = await metadataOf(odataService({ ...options, annotationForm: "external" }));
    expect(await faultsOfSchema(xml)).toEqual([]);
    expect(xml).toContain('<EntitySet Name="Things" EntityType="N.Thing"/>');
    const targets = [...xml.matchAll(/<Annotations Target="([^"]*)">/g)].map(([, target]) => target);
    expect(targets).toEqual(["N.Thing/Made", "N.Container", "N.Container/Things"]);
    const terms = (text: string): readonly string[] =>
      [...text.matchAll(/Term="([^"]*)"/g)].map(([, term = ""]) => term);
    expect(terms(xml).toSorted()).toEqual(terms(inline).toSorted());
    const block = /<Annotations Target="N.Container\/Things">(.*?)<\/Annotations>/s.exec(xml)?.[1] ?? "";
    expect(terms(block)).toEqual(
      expect.arrayContaining([
        "Org.OData.Core.V1.OptimisticConcurrency",
        "Org.OData.Capabilities.V1.DeleteRestrictions",
      ]),
    );
  });

  test("are escaped, and never contain an ignored property", async () => {
    const text = 'a]]>b & <c> "d" \u0000\u0007 \n';
    const xml = await metadataOf(shop({ annotations: { "Core.LongDescription": text, "Core.Description#x": text } }));
    expect(await faultsOfSchema(xml)).toEqual([]);
    expect(xml).not.toMatch(/secret/i);
  });
});

/** Annotates an entity type with a key, and returns the faults. */
function faultsOf(annotations: unknown, more: Partial<ServiceOptions> = {}): readonly string[] {
  const type = entityType(
    "Thing",
    { id: edm.int32().key(), name: edm.string(), hidden: edm.string().ignored(), place: edm.complex(Address) },
    { annotations: annotations as Annotations },
  );
  const sets = [
    entitySet(type, {
      getAll: () => [],
      navigation: { customer: hasRequired(Customer, { target: "Customers" }) },
    }),
    entitySet(Customer, { getAll: () => [] }),
  ];
  try {
    odataService({ namespace: "Shop", entitySets: sets, ...more });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ message, fix }) => `${message} ${fix}`);
  }
}

describe("the startup rejects an annotation", () => {
  test.each<[string, unknown, string]>([
    ["that is no object", [], "The annotations of the type Thing are an array. Give an object"],
    ["of an unknown vocabulary", { "Ui.LineItem": [] }, "The vocabulary `Ui` is unknown. Did you mean `UI`?"],
    ["without a vocabulary", { LineItem: [] }, "`LineItem` names no vocabulary."],
    [
      "of an unknown term",
      { "UI.LineItems": [] },
      "The vocabulary UI has no term `LineItems`. Did you mean `LineItem`?",
    ],
    ["of a member of objects", { "UI.constructor": [] }, "The vocabulary UI has no term `constructor`."],
    ["of a type", { "UI.ImportanceType": "High" }, "The vocabulary UI has no term `ImportanceType`."],
    ["with a wrong qualifier", { "UI.LineItem#a b": [] }, "`UI.LineItem#a b` has no valid qualifier."],
    ["given twice", { "Core.Description": "a", "@Core.Description": "b" }, "is given twice."],
    [
      "of a missing annotation",
      { "Core.Description@UI.Importance": "High" },
      "annotates `Core.Description`, which is missing.",
    ],
    [
      "with an unknown path",
      { "UI.SelectionFields": ["nam"] },
      "Thing has no property `nam` that clients see. Did you mean `name`?",
    ],
    [
      "with an ignored property",
      { "UI.SelectionFields": ["hidden"] },
      "Thing has no property `hidden` that clients see.",
    ],
    ["with a path behind a value", { "UI.SelectionFields": ["name/x"] }, "Paths have no start here."],
    ["with an empty segment", { "UI.SelectionFields": ["place//city"] }, "A segment is empty."],
    ["with a navigation for a property", { "UI.SelectionFields": ["customer"] }, "It leads to no property."],
    [
      "with an unknown set",
      { "Common.Label": { $Path: "/Shop.Container/Things2/name" } },
      "The service has no entity set `Things2`.",
    ],
    ["with an unknown type segment", { "Common.Label": { $Path: "Shop.Other/name" } }, "`Shop.Other` is not a type"],
    [
      "with a term inside a path",
      { "Common.Label": { $Path: "@Core.Description/x" } },
      "An annotation precedes the end.",
    ],
    [
      "that leads to a missing annotation",
      { "UI.LineItem": [{ "@type": "UI.DataFieldForAnnotation", Target: "@UI.FieldGroup#A" }], "UI.FieldGroup#B": {} },
      "No annotation `UI.FieldGroup#A` is declared there.",
    ],
    ["whose annotation path names none", { "UI.Contacts": ["customer"] }, "It names no annotation."],
    ["whose annotation path has an unknown term", { "UI.Contacts": ["@UI.Contacs"] }, "has no term `Contacs`"],
    [
      "with one value for a collection",
      { "UI.LineItem": { Value: 1 } },
      "`UI.LineItem` of the type Thing cannot be an object. Give an array.",
    ],
    ["with a constant for a collection", { "UI.LineItem": "x" }, 'cannot be "x". Give an array.'],
    ["with a collection for one value", { "Core.Description": ["a"] }, "cannot be an array. Give a single value."],
    ["with a constant for a record", { "UI.HeaderInfo": "a" }, "Give an object: the properties of UI.HeaderInfoType."],
    ["with a record for a constant", { "Core.Description": { a: 1 } }, "Give a constant, or a path"],
    ["with a number for a string", { "Core.Description": 5 }, "cannot be 5. Give a string."],
    ["with a string for a Boolean", { "Common.IsUpperCase": "yes" }, "Give true or false."],
    ["with a fraction for an integer", { "Common.MinOccurs": 1.5 }, "Give a whole number."],
    [
      "with a string for a double",
      { "UI.GeoLocation": { Latitude: "1" } },
      "`UI.GeoLocation/Latitude` of the type Thing",
    ],
    ["with a wrong date", { "Core.Revisions": [{ Date: { $Date: "today" } }] }, "Give a value of Edm.Date."],
    [
      "with an unknown member",
      { "Common.Text": "a", "@Common.Text@UI.TextArrangement": "TextOny" },
      "Did you mean `TextOnly`?",
    ],
    [
      "with a number for a member",
      { "UI.TextArrangement": 1 },
      "it is a value of the enumeration UI.TextArrangementType.",
    ],
    ["with a wrong explicit member", { "UI.TextArrangement": { $EnumMember: "TextOnly" } }, "Give a type and a member"],
    [
      "with a member of a record",
      { "UI.TextArrangement": { $EnumMember: "UI.DataField/A" } },
      "Give a member of an enumeration.",
    ],
    [
      "with a member of an unknown vocabulary",
      { "UI.TextArrangement": { $EnumMember: "Z.A/B" } },
      "The vocabulary `Z` is unknown.",
    ],
    [
      "with an unknown property",
      { "UI.HeaderInfo": { TypName: "x" } },
      "has the property `TypName`, which UI.HeaderInfoType does not have. Did you mean `TypeName`?",
    ],
    [
      "with several types that fit",
      {
        "Common.ValueList": {
          CollectionPath: "Customers",
          Parameters: [{ LocalDataProperty: "id", ValueListProperty: "id" }],
        },
      },
      "has the property `LocalDataProperty`",
    ],
    [
      "with an unknown type",
      { "UI.LineItem": [{ "@type": "UI.DataFeld" }] },
      'has the type "UI.DataFeld", which is unknown.',
    ],
    [
      "with a type of an unknown vocabulary",
      { "UI.LineItem": [{ "@type": "Z.A" }] },
      'has the type "Z.A": The vocabulary `Z` is unknown.',
    ],
    [
      "with a type of another kind",
      { "UI.LineItem": [{ "@type": "UI.ChartDefinitionType" }] },
      "but needs a UI.DataFieldAbstract.",
    ],
    [
      "with an orphaned annotation",
      { "UI.HeaderInfo": { "TypeName@Core.Description": "x" } },
      "without the property it annotates.",
    ],
    [
      "with an unknown form",
      { "Common.Label": { $Pat: "name" } },
      "has the unknown form `$Pat`. Did you mean `$Path`?",
    ],
    ["with more than a path", { "Common.Label": { $Path: "name", x: 1 } }, "has other members beside `$Path`."],
    ...["$If", "$And", "$Not", "$Eq", "$In", "$Apply", "$Cast", "$IsOf", "$LabeledElement", "$UrlRef"].map(
      (form): [string, unknown, string] => [
        `with ${form}`,
        { "UI.Hidden": { $Name: "x", [form]: [true, { $Path: "name" }], $Type: "Edm.String" } },
        `\`UI.Hidden\` of the type Thing is the expression \`${form}\`, which is not supported.`,
      ],
    ),
    ["with a null beside members", { "Common.Label": { $Null: null, x: 1 } }, "has other members beside `$Null`."],
    ["with a value of null", { "Common.Label": { $Null: 1 } }, "gives `$Null` a value."],
    ["with an empty path", { "Common.Label": { $Path: "" } }, "Give a path"],
    [
      "with a function",
      { "UI.Hidden": () => true, "UI.DataPoint": { Value: () => 1 } },
      "Give a constant, an array or an object.",
    ],
    [
      "whose value list has an unknown set",
      { "Common.ValueList": { CollectionPath: "Customer", Parameters: [] } },
      'names the CollectionPath "Customer", which is not an entity set of this service. Did you mean `Customers`?',
    ],
    [
      "whose value list names an ignored property",
      {
        "Common.ValueList": {
          CollectionPath: "Customers",
          Parameters: [{ "@type": "Common.ValueListParameterDisplayOnly", ValueListProperty: "secret" }],
        },
      },
      "Customer has no property `secret` that clients see.",
    ],
  ])("%s", (_, annotations, message) => {
    expect(faultsOf(annotations).join("\n")).toContain(message);
  });

  test.each<[string, unknown]>([
    [
      "with every constant",
      {
        "UI.DataPoint": { Value: { $Decimal: "1.50" }, TargetValue: { $Date: "2024-02-29" }, MinimumValue: 1.5 },
        "X.All": [
          { $Binary: "AQI=" },
          { $Guid: "00000000-0000-0000-0000-000000000000" },
          { $Duration: "P1D" },
          { $TimeOfDay: "01:02:03" },
          { $DateTimeOffset: "2024-01-01T00:00:00Z" },
          { $Int: 5n },
          { $Float: -Infinity },
          { $Float: Number.NaN },
          1e300,
          1.25,
          7,
          8n,
          true,
          "text",
          null,
          { $String: "s" },
          { $Bool: false },
          { $EnumMember: "X.A/B,C" },
          { $EnumMember: "Communication.PhoneType/work Communication.PhoneType/cell" },
          { "@type": "X.Kind", any: 1 },
          { any: { $Null: null, "@Core.Description": "none" } },
          { $AnyPropertyPath: "name" },
          { $ModelElementPath: "customer" },
          { $Path: "Shop.Thing/name" },
        ],
      },
    ],
    [
      "with paths",
      {
        "UI.Note": undefined,
        "Common.Heading": { $Path: "/Shop.Container/Customers/name" },
        "Common.ErrorResolution": {},
        "Common.Application": { $Path: "place/city@Common.Label" },
        "Common.MinOccurs": { $Path: "customer/$count" },
      },
    ],
  ])("unless it is right: %s", async (_, annotations) => {
    const withX = { vocabularies: { X: { namespace: "com.example.X", uri: "https://example.com/x.xml" } } };
    const clean = Object.fromEntries(
      Object.entries(annotations as object).filter(([key]) => !["UI.Note", "Common.Application"].includes(key)),
    );
    expect(faultsOf(clean, withX)).toEqual([]);
    const type = entityType(
      "Thing",
      { id: edm.int32().key(), name: edm.string(), place: edm.complex(Address) },
      { annotations: clean },
    );
    const xml = await metadataOf(
      odataService({
        namespace: "Shop",
        entitySets: [
          entitySet(type, {
            getAll: () => [],
            navigation: { customer: hasRequired(Customer, { target: "Customers" }) },
          }),
          entitySet(Customer, { getAll: () => [] }),
        ],
        ...withX,
      }),
    );
    expect(await faultsOfSchema(xml)).toEqual([]);
    expect(() => readCsdl(xml)).not.toThrow();
  });
});

describe("the startup rejects", () => {
  test.each<[string, Partial<ServiceOptions>, string]>([
    ["an unknown form of annotations", { annotationForm: "apart" as "inline" }, 'Give "inline" or "external".'],
    [
      "a vocabulary without a URL",
      { vocabularies: { M: { namespace: "a.b" } as never } },
      "The vocabulary M has no `uri`.",
    ],
    ["a vocabulary that is a string", { vocabularies: { M: "x" as never } }, 'The vocabulary M is "x".'],
    ["a wrong alias", { vocabularies: { "M-": { namespace: "a.b", uri: "x" } } }, "is not an identifier."],
    ["a wrong namespace", { vocabularies: { M: { namespace: "a b", uri: "x" } } }, 'cannot be "a b".'],
    [
      "an unknown set in the container",
      { annotations: { "Common.Label": { $Path: "Nothing" } } },
      "The service has no entity set `Nothing`.",
    ],
  ])("%s", (_, options, message) => {
    expect(faultsOf(undefined, options).join("\n")).toContain(message);
  });

  test.each<[string, () => ODataService, string]>([
    [
      "an annotation of an ignored property",
      () => serviceOf(edm.string().ignored().annotate({ "Common.Label": "x" })),
      "`.annotate()` has no effect",
    ],
    [
      "an annotation of an item",
      () => serviceOf(edm.collection(edm.string().annotate({ "Common.Label": "x" }))),
      "`.annotate()` has no effect",
    ],
    ["annotations that are a string", () => serviceOf(edm.string().annotate("x" as never)), 'are "x".'],
    [
      "two descriptions",
      () => serviceOf(edm.string().describe("a").annotate({ "Core.Description": "b" })),
      "has two descriptions.",
    ],
    [
      "options of a type that are no object",
      () => serviceOf(edm.string(), "x" as never),
      'The options of Thing are "x".',
    ],
    ["unknown options of a type", () => serviceOf(edm.string(), { annotation: {} }), "Did you mean `annotations`?"],
  ])("%s", (_, make, message) => {
    expect(make).toThrow(message);
  });

  test("different annotations of one navigation in two sets", () => {
    const set = (name: string, label: string): AnySet =>
      entitySet(Order, {
        name,
        getAll: () => [],
        navigation: {
          customer: hasRequired(Customer, { annotations: { "Common.Label": label, "Core.Description": "d" } }),
        },
      });
    expect(() => odataService({ entitySets: [set("A", "x"), set("B", "y"), customers] })).toThrow(
      "differs from that in another set",
    );
    expect(() => odataService({ entitySets: [set("A", "x"), set("B", "x"), customers] })).not.toThrow();
  });

  test("an unknown member and path of an enumeration, and an unknown parameter", () => {
    const Broken = enumType(
      "Broken",
      { A: 0 },
      { memberAnnotations: { B: {} } as never, annotations: { "Common.Label": { $Path: "x" } } },
    );
    expect(() => serviceOf(edm.enum(Broken))).toThrow("names `B`, which is not a member.");
    expect(() => serviceOf(edm.enum(Broken))).toThrow("Paths have no start here.");
    const now = fn({
      params: { at: edm.complex(Address) },
      returns: edm.string(),
      annotations: { "Common.Label": { $Path: "att" }, "Common.Heading": { $Path: "at/city" } },
      handler: () => "",
    });
    expect(() => odataService({ entitySets: [], functions: { now } })).toThrow(
      "`now` has no parameter `att`. Did you mean `at`?",
    );
  });
});

type AnySet = ServiceOptions["entitySets"][number];

const customers = entitySet(Customer, { getAll: () => [] });

function serviceOf(property: Parameters<typeof entityType>[1][string], options?: object): ODataService {
  const type = entityType("Thing", { id: edm.int32().key(), it: property }, options);
  return odataService({ entitySets: [entitySet(type, { getAll: () => [] })] });
}
