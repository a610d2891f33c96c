import { complexType, edm, entitySet, entityType, enumType, odataService, singleton } from "odatakit";
import { describe, expect, test } from "vitest";
import { labelProperties } from "../../../explorer/src/model/label-properties.ts";
import { type Model, readMetadata } from "../../../explorer/src/model/model.ts";
import { permittedModel } from "../../../explorer/src/model/permitted-model.ts";
import { recordPath, toLiteral } from "../../../explorer/src/query/literals.ts";
import { parseXml } from "./parse-xml.ts";

function modelOf(schema: string, references = ""): Model {
  return readMetadata(
    `<?xml version="1.0" encoding="utf-8"?>
      <edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">${references}
        <edmx:DataServices>${schema}</edmx:DataServices></edmx:Edmx>`,
    parseXml,
  );
}

const CORE = `<edmx:Reference Uri="u"><edmx:Include Namespace="Org.OData.Core.V1" Alias="Core"/></edmx:Reference>`;

describe("the metadata of a service of odatakit", async () => {
  const Status = enumType("Status", { Open: 0, Paid: 1 });
  const Place = complexType("Place", { city: edm.string({ maxLength: 40 }), zip: edm.string().nullable() });
  const Order = entityType("Order", {
    id: edm.int32().key().computed(),
    title: edm.string().describe("What was ordered"),
    total: edm.decimal({ precision: 10, scale: 2 }),
    status: edm.enum(Status),
    place: edm.complex(Place),
    tags: edm.collection(edm.string()),
    madeBy: edm.string().immutable(),
  });
  const service = odataService({
    namespace: "Shop",
    entitySets: [
      entitySet(Order, {
        getAll: () => [],
        getByKey: () => null,
        delete: () => true,
        filterProperties: ["id", "place"],
        orderByEnabled: false,
      }),
    ],
  });
  const response = await service.fetch(new Request("http://localhost/$metadata"));
  const model = readMetadata(await response.text(), parseXml);
  const order = model.sets.get("Orders");

  test("names its sets, types and enumerations", () => {
    expect([model.title, [...model.sets.keys()], [...model.types.keys()]]).toEqual([
      "Shop",
      ["Orders"],
      ["Shop.Place", "Shop.Order"],
    ]);
    expect(model.enums.get("Shop.Status")).toEqual({
      name: "Status",
      qualifiedName: "Shop.Status",
      description: null,
      isFlags: false,
      members: [
        { name: "Open", value: "0", description: null },
        { name: "Paid", value: "1", description: null },
      ],
    });
  });

  test("resolves the types of properties", () => {
    const properties = order?.type.properties;
    expect(properties?.get("Total")).toMatchObject({
      type: { kind: "primitive", name: "Edm.Decimal" },
      isNullable: false,
    });
    expect(properties?.get("Status")?.type).toEqual({ kind: "enum", enum: model.enums.get("Shop.Status") });
    expect(properties?.get("Place")?.type).toEqual({ kind: "complex", type: model.types.get("Shop.Place") });
    expect(properties?.get("Tags")).toMatchObject({ isCollection: true, type: { name: "Edm.String" } });
    expect(model.types.get("Shop.Place")?.properties.get("City")).toMatchObject({ maxLength: 40 });
  });

  test("knows what is computed, immutable and described, and the key", () => {
    const { Id, Title, MadeBy } = Object.fromEntries(order?.type.properties ?? []);
    expect([Id?.readOnly, Title?.readOnly, MadeBy?.immutable, Title?.immutable]).toEqual([true, false, true, false]);
    expect(Title?.description).toBe("What was ordered");
    expect(order?.type.key.map(({ name }) => name)).toEqual(["Id"]);
  });

  test("knows what the set permits", () => {
    const { filterable, sortable, expandable, groupable, methodsOf, ...abilities } = order!.abilities;
    expect(abilities).toMatchObject({
      canReadByKey: true,
      canCreate: false,
      canUpdate: false,
      canDelete: true,
      canFilter: true,
      canSort: false,
    });
    expect(["Id", "Title", "Place", "Place/City"].map(filterable)).toEqual([true, false, true, true]);
    expect([sortable("Id"), expandable("Lines"), groupable("Id"), methodsOf("Total")]).toEqual([
      false,
      abilities.canExpand,
      abilities.canApply,
      abilities.canApply ? ["sum", "min", "max", "average", "countdistinct"] : [],
    ]);
  });

  test("the first text with a usual name labels an entity", () => {
    expect(labelProperties(order!.type).map(({ name }) => name)).toEqual(["Title"]);
  });
});

test("annotations may be apart, and with aliases", () => {
  const model = modelOf(
    `<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="N.S">
      <EntityType Name="A"><Key><PropertyRef Name="Id"/></Key>
        <Property Name="Id" Type="Edm.Int64" Nullable="false"/>
        <Property Name="File" Type="Edm.Binary"><Annotation Term="Core.MediaType" String="image/png"/></Property>
        <Property Name="Locked" Type="Edm.String">
          <Annotation Term="Core.Permissions"><EnumMember>Org.OData.Core.V1.Permission/Read</EnumMember></Annotation>
        </Property>
      </EntityType>
      <EntityContainer Name="C"><EntitySet Name="As" EntityType="N.S.A"/></EntityContainer>
      <Annotations Target="N.S.A/Id"><Annotation Term="Core.Computed" Bool="true"/></Annotations>
      <Annotations Target="N.S.C/As"><Annotation Term="Core.Description" String="All of &quot;them&quot;"/></Annotations>
    </Schema>`,
    CORE,
  );
  const { Id, File, Locked } = Object.fromEntries(model.types.get("N.S.A")!.properties);
  expect([Id?.readOnly, File?.mediaType, Locked?.readOnly, File?.readOnly]).toEqual([true, "image/png", true, false]);
  expect(model.sets.get("As")?.description).toBe('All of "them"');
});

test("navigations have partners, keys of the target, and sets", () => {
  const model = modelOf(
    `<Schema Namespace="S">
      <EntityType Name="Car"><Key><PropertyRef Name="Plate"/></Key>
        <Property Name="Plate" Type="Edm.String" Nullable="false"/>
        <NavigationProperty Name="Trailer" Type="S.Car" Partner="Pulled">
          <ReferentialConstraint Property="TrailerPlate" ReferencedProperty="Plate"/>
        </NavigationProperty>
      </EntityType>
      <EntityContainer Name="C">
        <EntitySet Name="Cars" EntityType="S.Car"><NavigationPropertyBinding Path="Trailer" Target="Cars"/></EntitySet>
      </EntityContainer>
    </Schema>`,
  );
  const cars = model.sets.get("Cars")!;
  const trailer = cars.type.navigations.get("Trailer");
  expect([trailer?.partner, [...(trailer?.constraints ?? [])]]).toEqual(["Pulled", [["TrailerPlate", "Plate"]]]);
  expect(trailer?.target).toBe(cars.type);
  expect([...cars.bindings]).toEqual([["Trailer", "Cars"]]);
});

test("operations have the names of their imports; a bound one has none", () => {
  const model = modelOf(
    `<Schema Namespace="S">
      <EntityType Name="A"><Key><PropertyRef Name="Id"/></Key><Property Name="Id" Type="Edm.Int32"/></EntityType>
      <Function Name="Top" IsComposable="true"><Parameter Name="count" Type="Edm.Int32" Nullable="false">
        <Annotation Term="Org.OData.Core.V1.OptionalParameter">
          <Record><PropertyValue Property="DefaultValue" String="3"/></Record>
        </Annotation></Parameter><ReturnType Type="Collection(S.A)"/></Function>
      <Function Name="Hidden"><ReturnType Type="Edm.Int32"/></Function>
      <Action Name="Close" IsBound="true">
        <Parameter Name="bindingParameter" Type="Collection(S.A)"/><Parameter Name="why" Type="Edm.String"/></Action>
      <EntityContainer Name="C"><EntitySet Name="As" EntityType="S.A"/>
        <FunctionImport Name="TopAs" Function="S.Top" EntitySet="As"/></EntityContainer>
    </Schema>`,
  );
  expect(model.operations).toMatchObject([
    {
      name: "Top",
      importName: "TopAs",
      kind: "function",
      boundTo: null,
      entitySet: "As",
      parameters: [{ name: "count", isOptional: true, defaultValue: "3", isNullable: false }],
      result: { isCollection: true, type: { kind: "complex", type: model.types.get("S.A") } },
    },
    {
      name: "Close",
      importName: null,
      kind: "action",
      boundTo: model.types.get("S.A"),
      boundToCollection: true,
      parameters: [{ name: "why", isOptional: false, isNullable: true }],
      result: null,
    },
  ]);
});

test("without annotations, everything is permitted but $apply", () => {
  const model = modelOf(
    `<Schema Namespace="S">
      <EntityType Name="A"><Key><PropertyRef Name="Id"/></Key><Property Name="Id" Type="Edm.Int32"/></EntityType>
      <EntityContainer Name="C"><EntitySet Name="As" EntityType="S.A"/></EntityContainer></Schema>`,
  );
  const { abilities } = model.sets.get("As")!;
  const denied = Object.entries(abilities).filter(([name, value]) => name.startsWith("can") && value === false);
  expect(denied.map(([name]) => name)).toEqual(["canApply"]);
  expect(abilities.navigable("X")).toBe(true);
});

test("annotations deny reads, navigations, updates by PATCH and methods", () => {
  const cap = "Org.OData.Capabilities.V1";
  const model = modelOf(
    `<Schema Namespace="S">
      <EntityType Name="A"><Key><PropertyRef Name="Id"/></Key><Property Name="Id" Type="Edm.Int32"/></EntityType>
      <EntityContainer Name="C"><EntitySet Name="As" EntityType="S.A">
        <Annotation Term="${cap}.ReadRestrictions"><Record><PropertyValue Property="Readable" Bool="false"/>
          <PropertyValue Property="ReadByKeyRestrictions"><Record><PropertyValue Property="Readable" Bool="true"/></Record>
          </PropertyValue></Record></Annotation>
        <Annotation Term="${cap}.NavigationRestrictions"><Record>
          <PropertyValue Property="Navigability" EnumMember="${cap}.NavigationType/Single"/>
          <PropertyValue Property="RestrictedProperties"><Collection><Record>
            <PropertyValue Property="NavigationProperty" NavigationPropertyPath="Parts"/>
            <PropertyValue Property="Navigability" EnumMember="${cap}.NavigationType/None"/>
            <PropertyValue Property="InsertRestrictions"><Record><PropertyValue Property="Insertable" Bool="false"/></Record>
            </PropertyValue></Record></Collection></PropertyValue></Record></Annotation>
        <Annotation Term="${cap}.UpdateRestrictions"><Record><PropertyValue Property="Updatable" Bool="true"/>
          <PropertyValue Property="UpdateMethod" EnumMember="${cap}.HttpMethod/PUT"/></Record></Annotation>
        <Annotation Term="${cap}.TopSupported" Bool="false"/>
        <Annotation Term="Org.OData.Aggregation.V1.ApplySupported"><Record>
          <PropertyValue Property="Transformations"><Collection><String>groupby</String></Collection></PropertyValue>
          <PropertyValue Property="GroupableProperties"><Collection>
            <PropertyPath>Id</PropertyPath><NavigationPropertyPath>Owner</NavigationPropertyPath></Collection></PropertyValue>
          <PropertyValue Property="AggregatableProperties"><Collection><Record>
            <PropertyValue Property="Property" PropertyPath="Id"/>
            <PropertyValue Property="SupportedAggregationMethods"><Collection><String>max</String></Collection></PropertyValue>
          </Record></Collection></PropertyValue></Record></Annotation>
      </EntitySet></EntityContainer></Schema>`,
  );
  const { abilities } = model.sets.get("As")!;
  expect(abilities).toMatchObject({
    canReadByKey: true,
    canUpdate: true,
    updatesByPut: true,
    canTop: false,
    canApply: true,
  });
  expect(["Parts", "Owner"].map(abilities.navigable)).toEqual([false, true]);
  expect(["Id", "Owner/Name", "Other"].map(abilities.groupable)).toEqual([true, true, false]);
  expect(["Id", "Other"].map(abilities.methodsOf)).toEqual([["max"], []]);
});

test("a singleton is read as a set whose entity has no key in its path", async () => {
  const User = entityType("User", { id: edm.int32().key(), name: edm.string() });
  const users = entitySet(User, { getByKey: () => null, patch: () => null });
  const service = odataService({
    entitySets: [users],
    singletons: [singleton(User, { name: "Me", from: users, key: () => 1 })],
  });
  const response = await service.fetch(new Request("http://localhost/$metadata"));
  const { sets, singletons } = readMetadata(await response.text(), parseXml);
  const { canReadByKey, canUpdate, canDelete } = singletons.get("Me")?.abilities ?? {};
  expect([[...sets.keys()], [...singletons.keys()]]).toEqual([["Users"], ["Me"]]);
  expect([canReadByKey, canUpdate, canDelete]).toEqual([false, true, false]);
  expect(recordPath(singletons.get("Me"), { Id: 1 })).toBeNull();
});

test("a text with allowed values is chosen like an enumeration, and its literals are texts", () => {
  const model = modelOf(
    `<Schema Namespace="S"><EntityType Name="T"><Key><PropertyRef Name="A"/></Key>
      <Property Name="A" Type="Edm.String" Nullable="false">
        <Annotation Term="Org.OData.Validation.V1.AllowedValues"><Collection>
          <Record><PropertyValue Property="Value" String="Open"/><Annotation Term="Core.Description" String="Still open"/></Record>
          <Record><PropertyValue Property="Value" String="Paid"/></Record>
        </Collection></Annotation>
      </Property></EntityType></Schema>`,
  );
  const type = model.types.get("S.T")?.properties.get("A")?.type;
  expect(type).toEqual({
    kind: "enum",
    enum: {
      name: "String",
      qualifiedName: "",
      description: null,
      isFlags: false,
      members: [
        { name: "Open", value: "Open", description: "Still open" },
        { name: "Paid", value: "Paid", description: null },
      ],
    },
  });
  expect(type && toLiteral("Open", type)).toBe("'Open'");
});

describe("a large document", () => {
  const NAMES = Array.from({ length: 300 }, (_, at) => `T${at}`);
  const documentOf = (note: string): string => `<edmx:Edmx><edmx:DataServices><Schema Namespace="S">${NAMES.map(
    (name) =>
      `<EntityType Name="${name}"><Key><PropertyRef Name="A"/></Key><Property Name="A" Type="Edm.Int32"/></EntityType>`,
  ).join(
    "",
  )}<EntityType Name="Empty"/><ComplexType Name="Part"><Property Name="B" Type="Edm.Int32"/></ComplexType>${note}
    <EntityContainer Name="C">${NAMES.map(
      (name) =>
        `<EntitySet Name="${name}s" EntityType="S.${name}"><NavigationPropertyBinding Path="P" Target="T1s"/></EntitySet>`,
    ).join(
      "",
    )}<EntitySet Name="Empties" EntityType="S.Empty"/></EntityContainer></Schema></edmx:DataServices></edmx:Edmx>`;

  /** Reads a document, and keeps the texts that were parsed. */
  const read = (text: string) => {
    const parsed: string[] = [];
    const model = readMetadata(text, (xml) => {
      parsed.push(xml);
      return parseXml(xml);
    });
    return { model, parsed };
  };

  test("is parsed without types and sets, which are parsed when they are needed", () => {
    const { model, parsed } = read(documentOf(""));
    expect([model.sets.size, model.types.size, parsed.length]).toEqual([301, 302, 1]);
    expect(parsed[0]).not.toMatch(/PropertyRef|NavigationPropertyBinding/u);
    expect(model.sets.get("T7s")?.type.key.map(({ name }) => name)).toEqual(["A"]);
    expect(model.sets.get("T7s")?.type.properties.size).toBe(1);
    expect(parsed.length).toBe(2);
    expect(model.sets.get("T7s")?.bindings).toEqual(new Map([["P", "T1s"]]));
    expect(parsed.length).toBe(3);
    const { properties } = model.types.get("S.Part")!;
    expect([properties.size, model.sets.get("Empties")?.type.properties.size, parsed.length]).toEqual([1, 0, 3]);
  });

  test.each(["<!-- </EntityType><EntityType Name='X'> -->", "<![CDATA[</EntitySet>]]>", "<?note </EntityType>?>"])(
    "is parsed at once if its tags are not sure: %s",
    (note) => {
      const text = documentOf(note);
      const parsed: string[] = [];
      readMetadata(text, (xml) => {
        parsed.push(xml);
        return parseXml(documentOf(""));
      });
      expect(parsed).toEqual([text]);
    },
  );

  test("is read for a user in the same way", () => {
    const { model, parsed } = read(documentOf(""));
    const access = new Map([["T7s", { update: false, properties: { A: { read: false } } }]]);
    const { sets } = permittedModel(model, access);
    expect([sets.size, parsed.length]).toEqual([301, 1]);
    expect(sets.get("T7s")?.abilities.canUpdate).toBe(false);
    expect([...(sets.get("T7s")?.type.hidden ?? [])].map(({ name }) => name)).toEqual(["A"]);
    expect([sets.get("T7s")?.type.properties.size, parsed.length]).toEqual([0, 3]);
  });
});
