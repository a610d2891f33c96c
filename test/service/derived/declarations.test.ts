import { ConfigurationError, complexType, edm, entitySet, entityType, fn, hasMany, odataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { expect, test } from "vitest";
import { nodeDoor } from "../http/doors.ts";
import { noFailures } from "../http/model.ts";
import { PLACES } from "./zoo.ts";

const Animal = entityType("Animal", { id: edm.int32().key(), name: edm.string() });
const Dog = entityType("Dog", { barks: edm.int32() }, { base: Animal });
const Other = entityType("Other", { id: edm.int32().key() });
const getAll = (): never[] => [];

/** Declarations that the compiler refuses, too. */
const untyped = entitySet as unknown as (type: unknown, options: object) => ReturnType<typeof entitySet>;

function faultsOf(...entitySets: ReadonlyArray<ReturnType<typeof entitySet>>): readonly string[] {
  try {
    odataService({ logger: noFailures, entitySets });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ message }) => message);
  }
}

const set = (derived: unknown, options: object = {}, type: unknown = Animal): ReturnType<typeof entitySet> =>
  untyped(type, { getAll, derived, ...options });

test.each([
  [[set([Dog])], []],
  [[set(5)], ["`derived` of entitySet cannot be 5."]],
  [[set([5])], ["`derived` of Animals contains 5."]],
  [[set([Other])], ["`derived` of Animals contains Other, which is not derived from Animal."]],
  [[set([Animal])], ["`derived` of Animals contains Animal, which is not derived from Animal."]],
  [[untyped(Dog, { getAll })], ["The set Dogs contains Dog, which has a base type."]],
  [[set([Dog, entityType("Cat", { barks: edm.int32() }, { base: Animal })])], ["Dog and Cat both declare `barks`."]],
  [
    [set([entityType("Cat", { name: edm.string().nullable() }, { base: Animal })])],
    ["Cat declares `name`, which it inherits from Animal."],
  ],
  [
    [set([entityType("Cat", { code: edm.int32().key() }, { base: Animal })])],
    ["Derived types inherit their key, but the property `code` of Cat is a key."],
  ],
  [
    [set([entityType("Cat", { code: edm.int32().databaseDefault() }, { base: Animal })])],
    ["`.databaseDefault()` would give rows of other types a value of the property `code` of Cat."],
  ],
  [
    [set([Dog]), set([], { name: "Others" })],
    expect.arrayContaining(["Animals and Others contain Animal, but with different derived types."]),
  ],
  [
    [set([Dog]), untyped(Other, { getAll, navigation: { dogs: hasMany(Dog, { target: "Animals", get: getAll }) } })],
    expect.arrayContaining(["The navigation `dogs` leads to Dog, a derived type."]),
  ],
  [
    [
      set([Dog], {
        functions: { first: fn(Animal, { bound: "collection", returns: Dog, handler: () => null as never }) },
      }),
    ],
    ["`first` returns Dog, a derived type."],
  ],
  [
    [set([Dog], { virtual: { size: { type: edm.int32(), needs: ["id"], read: getAll } } })],
    ["Animals has derived types and virtual properties, which are not supported together."],
  ],
  [
    [set([entityType("Cat", { photo: edm.stream({ store: {} as never }) }, { base: Animal })])],
    expect.arrayContaining(["Animals has derived types and streams, which are not supported together."]),
  ],
  [
    [untyped(entityType("Box", { id: edm.int32().key() }, { base: 5 } as never), { getAll })],
    ["The set Boxes contains Box, which has a base type."],
  ],
])("declarations %#", (sets, faults) => {
  expect(faultsOf(...sets)).toEqual(faults);
});

test("complex types have no base", () => {
  const Address = complexType("Address", { city: edm.string() }, { base: 1 } as never);
  const Place = entityType("Place", { id: edm.int32().key(), at: edm.complex(Address) });
  expect(faultsOf(untyped(Place, { getAll }))).toEqual(["the type Address has no option `base`."]);
});

interface Schema {
  readonly anyOf: ReadonlyArray<{ title: string; properties: Record<string, unknown>; required?: string[] }>;
}

const [MEMORY] = PLACES;

test("$metadata and OpenAPI describe the types", async () => {
  const zoo = await MEMORY?.open();
  if (zoo === undefined) throw new Error("No zoo.");
  const { text } = await nodeDoor.to(zoo.service)("/odata/$metadata");
  const types = text.slice(text.indexOf("<EntityType"), text.indexOf("<EntityContainer"));
  expect(types.replaceAll(/>\s*</g, ">\n<").trim()).toMatchInlineSnapshot(`
    "<EntityType Name="Animal" Abstract="true">
    <Key>
    <PropertyRef Name="Id"/>
    </Key>
    <Property Name="Id" Type="Edm.Int32" Nullable="false"/>
    <Property Name="Name" Type="Edm.String" Nullable="false" MaxLength="40"/>
    <Property Name="KeeperId" Type="Edm.Int32"/>
    <Property Name="Version" Type="Edm.Int32" Nullable="false"/>
    <NavigationProperty Name="Keeper" Type="Zoo.Keeper" Partner="Animals">
    <ReferentialConstraint Property="KeeperId" ReferencedProperty="Id"/>
    </NavigationProperty>
    </EntityType>
    <EntityType Name="Dog" BaseType="Zoo.Animal">
    <Property Name="Barks" Type="Edm.Int32" Nullable="false"/>
    <Property Name="Breed" Type="Edm.String"/>
    </EntityType>
    <EntityType Name="Puppy" BaseType="Zoo.Dog">
    <Property Name="Born" Type="Edm.Date" Nullable="false"/>
    </EntityType>
    <EntityType Name="Cat" BaseType="Zoo.Animal">
    <Property Name="Lives" Type="Edm.Int32" Nullable="false" DefaultValue="9"/>
    </EntityType>
    <EntityType Name="Keeper">
    <Key>
    <PropertyRef Name="Id"/>
    </Key>
    <Property Name="Id" Type="Edm.Int32" Nullable="false"/>
    <Property Name="Name" Type="Edm.String" Nullable="false"/>
    <NavigationProperty Name="Animals" Type="Collection(Zoo.Animal)" Partner="Keeper"/>
    </EntityType>"
  `);
  const { components } = openApiDocument(zoo.service) as unknown as { components: { schemas: Record<string, Schema> } };
  const typesOf = (name: string): unknown =>
    components.schemas[name]?.anyOf.map(({ title, properties, required }) => [
      title,
      properties["@odata.type"],
      Object.keys(properties).filter((each) => !each.startsWith("@") && !each.startsWith("Keeper")),
      required,
    ]);
  const type = (name: string): object => ({ type: "string", enum: [`#Zoo.${name}`] });
  const all = ["Id", "Name", "Version"];
  const named = ["@odata.type"];
  expect(typesOf("Animal")).toEqual([
    ["Dog", type("Dog"), [...all, "Barks", "Breed"], named],
    ["Puppy", type("Puppy"), [...all, "Barks", "Breed", "Born"], named],
    ["Cat", type("Cat"), [...all, "Lives"], named],
  ]);
  expect(typesOf("Animal.create")).toEqual([
    ["Dog", type("Dog"), [...all, "Barks", "Breed"], [...named, ...all, "Barks"]],
    ["Puppy", type("Puppy"), [...all, "Barks", "Breed", "Born"], [...named, ...all, "Barks", "Born"]],
    ["Cat", type("Cat"), [...all, "Lives"], [...named, ...all]],
  ]);
  expect(typesOf("Animal.patch")).toEqual([
    ["Animal", type("Animal"), ["Name", "Version"], undefined],
    ["Dog", type("Dog"), ["Name", "Version", "Barks", "Breed"], named],
    ["Puppy", type("Puppy"), ["Name", "Version", "Barks", "Breed", "Born"], named],
    ["Cat", type("Cat"), ["Name", "Version", "Lives"], named],
  ]);
});
