import { describe, expect, test } from "vitest";
import { readMetadata } from "../../../explorer/src/model/model.ts";
import { conditionsOf, filterOf } from "../../../explorer/src/query/filter-tree.ts";
import { cellHref, columnsOf, type Row } from "../../../explorer/src/screens/grid/columns.ts";
import { changedView, gridQuery } from "../../../explorer/src/screens/grid/grid-query.ts";
import { type View, hrefOf, parseFragment } from "../../../explorer/src/state/view.ts";
import { parseXml } from "./parse-xml.ts";

const record = (members: Readonly<Record<string, string>>): string =>
  `<Record>${Object.entries(members)
    .map(([name, value]) => `<PropertyValue Property="${name}" Bool="${value}"/>`)
    .join("")}</Record>`;

const paths = (name: string, values: readonly string[]): string =>
  `<PropertyValue Property="${name}"><Collection>${values.map((value) => `<PropertyPath>${value}</PropertyPath>`).join("")}</Collection></PropertyValue>`;

const MODEL = readMetadata(
  `<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"><edmx:DataServices><Schema Namespace="Shop">
    <EnumType Name="Color"><Member Name="Red" Value="0"/></EnumType>
    <ComplexType Name="Place"><Property Name="City" Type="Edm.String"/></ComplexType>
    <EntityType Name="Order"><Key><PropertyRef Name="Id"/></Key>
      <Property Name="Total" Type="Edm.Decimal"/><Property Name="Id" Type="Edm.Int32" Nullable="false"/>
      <Property Name="Color" Type="Shop.Color"/><Property Name="CustomerCode" Type="Edm.String"/>
      <Property Name="Place" Type="Shop.Place"/>
      <NavigationProperty Name="Customer" Type="Shop.Customer" Partner="Orders"><ReferentialConstraint Property="CustomerCode" ReferencedProperty="Code"/></NavigationProperty>
    </EntityType>
    <EntityType Name="Customer"><Key><PropertyRef Name="Code"/></Key>
      <Property Name="Code" Type="Edm.String" Nullable="false"/><Property Name="Name" Type="Edm.String"/>
      <NavigationProperty Name="Orders" Type="Collection(Shop.Order)" Partner="Customer"/>
      <NavigationProperty Name="Friends" Type="Collection(Shop.Customer)"/>
    </EntityType>
    <EntityType Name="Secret"><Key><PropertyRef Name="Id"/></Key><Property Name="Id" Type="Edm.Int32" Nullable="false"/></EntityType>
    <EntityContainer Name="Container">
      <EntitySet Name="Orders" EntityType="Shop.Order"><NavigationPropertyBinding Path="Customer" Target="Customers"/>
        <Annotation Term="Org.OData.Aggregation.V1.ApplySupported"><Record>${paths("GroupableProperties", ["Color", "Place/City", "Customer"])}
          <PropertyValue Property="AggregatableProperties"><Collection><Record><PropertyValue Property="Property" PropertyPath="Total"/><PropertyValue Property="SupportedAggregationMethods"><Collection><String>sum</String><String>median</String></Collection></PropertyValue></Record></Collection></PropertyValue></Record></Annotation>
      </EntitySet>
      <EntitySet Name="Customers" EntityType="Shop.Customer"><NavigationPropertyBinding Path="Orders" Target="Orders"/><NavigationPropertyBinding Path="Friends" Target="Customers"/></EntitySet>
      <EntitySet Name="Secrets" EntityType="Shop.Secret">
        <Annotation Term="Org.OData.Capabilities.V1.ReadRestrictions"><Record><PropertyValue Property="ReadByKeyRestrictions">${record({ Readable: "false" })}</PropertyValue></Record></Annotation>
        <Annotation Term="Org.OData.Capabilities.V1.SkipSupported" Bool="false"/>
        <Annotation Term="Org.OData.Capabilities.V1.CountRestrictions">${record({ Countable: "false" })}</Annotation>
      </EntitySet>
    </EntityContainer></Schema></edmx:DataServices></edmx:Edmx>`,
  parseXml,
);

const viewOf = (text: string): View => parseFragment(`#/grid/${text}`);

function queryOf(text: string) {
  const query = gridQuery(SERVICE, viewOf(text));
  if (query === null) throw new Error(`${text} is no collection.`);
  return { ...query, first: decodeURIComponent(query.first) };
}

function columns(text: string, sample: readonly Row[] = []) {
  return columnsOf(queryOf(text).place, viewOf(text), sample);
}

const SERVICE = { model: MODEL, about: { expandsPaths: true } };

describe("the requests of a grid", () => {
  test("read the labels of foreign keys, and count apart", () => {
    const { first, skipTo, count } = queryOf("Orders?$filter=Total gt 5&row=70");
    const plain = gridQuery(SERVICE, viewOf("Orders?$filter=Total gt 5&row=70"), false);
    expect([first, decodeURIComponent(plain?.first ?? "")]).toEqual([
      "Orders?$filter=Total gt 5&$expand=Customer($select=Code,Name)",
      "Orders?$filter=Total gt 5",
    ]);
    expect(decodeURIComponent(plain?.skipTo?.(200) ?? "")).toBe("Orders?$filter=Total gt 5&$skip=200");
    expect(decodeURIComponent(skipTo?.(200) ?? "")).toBe(
      "Orders?$filter=Total gt 5&$expand=Customer($select=Code,Name)&$skip=200",
    );
    expect(decodeURIComponent(count ?? "")).toBe("Orders?$filter=Total gt 5&$count=true&$top=0");
  });

  test("read no labels along paths that refuse them", () => {
    const { first } = gridQuery({ model: MODEL, about: {} }, viewOf("Customers('A')/Orders")) ?? {};
    expect(first).toBe("Customers('A')/Orders");
  });

  test("count with the aliases of the filter", () => {
    const { count } = queryOf("Orders?$filter=Total gt @least&@least=5");
    expect(decodeURIComponent(count ?? "")).toBe("Orders?$filter=Total gt @least&@least=5&$count=true&$top=0");
  });

  test.for([
    ["Orders?$select=Total", "Orders?$select=Total,Id"],
    ["Orders?$select=CustomerCode", "Orders?$select=CustomerCode,Id&$expand=Customer($select=Code,Name)"],
    ["Orders?$expand=Customer", "Orders?$expand=Customer"],
    ["Orders?$apply=groupby((Color))", "Orders?$apply=groupby((Color))"],
    [
      "Customers('A')/Orders?$orderby=Total",
      "Customers('A')/Orders?$orderby=Total&$expand=Customer($select=Code,Name)",
    ],
    ["Orders?$count=true&$format=json&$select=*", "Orders?$select=*&$expand=Customer($select=Code,Name)"],
  ] as const)("of %s begin with %s", ([text, first]) => {
    expect(queryOf(text).first).toBe(first);
  });

  test("do not skip and count where the set forbids it, or $top limits the rows", () => {
    const of = (text: string) => {
      const { skipTo, count } = queryOf(text);
      return [skipTo?.(100) ?? null, count];
    };
    expect(of("Secrets")).toEqual([null, null]);
    expect([queryOf("Secrets").goOn, queryOf("Customers?$top=500&$skip=20").goOn?.(100)]).toEqual([
      null,
      "Customers?$top=400&$skip=120",
    ]);
    expect(of("Customers?$top=5")).toEqual([null, null]);
    expect(of("Customers?$skip=20")).toEqual(["Customers?$skip=120", "Customers?$count=true&$top=0"]);
  });

  test("do not exist for a record, and for what the model does not have", () => {
    expect([gridQuery(SERVICE, viewOf("Orders(1)")), gridQuery(SERVICE, viewOf("Nothing"))]).toEqual([null, null]);
  });
});

describe("the columns of a grid", () => {
  test("are those that the answer has; without rows, those of the model", () => {
    const names = (sample: readonly Row[]): readonly string[] => columns("Orders", sample).map(({ name }) => name);
    expect(names([{ Id: 1 }, { Id: 2, Total: null }])).toEqual(["Id", "Total"]);
    expect(names([])).toEqual(["Id", "Total", "Color", "CustomerCode", "Place"]);
  });

  test("are the properties, the key first, then what the answer has besides", () => {
    const found = columns("Orders?$compute=Total mul 2 as Twice", [
      { Id: 1, Total: 2, Color: null, CustomerCode: null, Place: null, Twice: 4, "Total@odata.type": "" },
    ]);
    expect(found.map(({ name }) => name)).toEqual(["Id", "Total", "Color", "CustomerCode", "Place", "Twice"]);
    expect(found.filter(({ isSortable }) => isSortable).map(({ name }) => name)).toEqual([
      "Id",
      "Total",
      "Color",
      "CustomerCode",
      "Twice",
    ]);
  });

  test("are those of $select in its order, then relations: one by its label, several by their number", () => {
    const found = columns("Orders?$select=Color,Place/City,Id&$expand=Customer($select=Code,Name)");
    expect(found.map(({ path }) => path.join("/"))).toEqual(["Color", "Place/City", "Id", "Customer/Name"]);
    const [orders] = columns("Customers?$select=Code&$expand=Orders($count=true;$top=0)", [
      { Code: "A", "Orders@odata.count": "3", Orders: [] },
    ]).slice(1);
    expect([orders?.navigation?.isCollection, orders?.path]).toEqual([true, ["Orders@odata.count"]]);
  });

  test("of groups are their properties and totals, or those of the answer for other steps", () => {
    const apply = "groupby((Color,Customer/Name),aggregate(Total with sum as Sum,$count as Count))";
    const sample = [{ Color: "Red", Customer: { Name: "1" }, Sum: "1.50", Count: 2 }];
    const found = columns(`Orders?$apply=${apply}`, sample);
    expect(found.map(({ name, type }) => [name, type?.kind === "primitive" ? type.name : "enum"])).toEqual([
      ["Color", "enum"],
      ["Customer/Name", "Edm.String"],
      ["Sum", "Edm.Decimal"],
      ["Count", "Edm.Decimal"],
    ]);
    expect(columns("Orders?$apply=compute(1 as A)/top(2)", [{ Id: 1, A: 1 }]).map(({ name }) => name)).toEqual([
      "Id",
      "A",
    ]);
  });
});

describe("the links of a row", () => {
  const link = (text: string, name: string, row: Row, isFirst = false): string | null => {
    const column = columns(text).find((each) => each.name === name);
    if (column === undefined) throw new Error(`There is no column ${name}.`);
    return cellHref(queryOf(text).place, column, row, isFirst);
  };

  test("lead to its record, to related records and to related rows", () => {
    const row = { Id: 7, CustomerCode: "a/b", Customer: { Code: "a/b", Name: "Ann" } };
    expect(link("Customers('A')/Orders", "Total", row, true)).toBe("#/record/Orders(7)");
    expect(link("Orders", "CustomerCode", row)).toBe("#/record/Customers('a%252Fb')");
    expect(link("Orders?$expand=Customer", "Customer", row)).toBe("#/record/Customers('a%252Fb')");
    expect(link("Orders", "CustomerCode", { Id: 7, CustomerCode: null })).toBe(null);
    expect(link("Orders?$expand=Customer", "Customer", { Id: 7, CustomerCode: null, Customer: null })).toBe(null);
    expect(link("Customers?$expand=Orders", "Orders", { Code: "O'N" })).toBe("#/grid/Customers('O''N')/Orders");
    expect(link("Customers?$expand=Orders", "Orders", { Code: null })).toBe(null);
    expect(link("Customers?$expand=Friends", "Friends", { Code: "A" })).toBe("#/grid/Customers('A')/Friends");
  });

  test("do not exist where the reader cannot read records by key, or the key is missing", () => {
    expect(link("Secrets", "Id", { Id: 1 }, true)).toBe(null);
    expect(link("Orders", "Total", { Total: "1" }, true)).toBe(null);
  });
});

describe("a changed view", () => {
  const changed = (text: string, changes: Readonly<Record<string, string>>): string => {
    const view = viewOf(text);
    return decodeURIComponent(hrefOf(changedView(view, [...view.options, ...Object.entries(changes)])));
  };

  test("begins with its first row, and has no empty options", () => {
    expect(changed("Orders?$orderby=Id&$top=5&row=9", { $orderby: "" })).toBe("#/grid/Orders?$top=5");
  });

  test("has no alias that no option names any more", () => {
    const text = "Orders?$filter=Total gt @least and Id lt @most&@least=@zero&@zero=0&@most=9";
    expect(changed(text, { $filter: "Total gt @least" })).toBe(
      "#/grid/Orders?$filter=Total gt @least&@least=@zero&@zero=0",
    );
  });

  test("of groups has the filter of the rows in them, and gives it back", () => {
    const groups = "groupby((Color))";
    const grouped = "Orders?$apply=filter(Total gt 5)/groupby((Color))";
    expect(changed("Orders?$filter=Total gt 5&$orderby=Id&row=9", { $apply: groups })).toBe(`#/grid/${grouped}`);
    expect(changed("Orders?$filter=Total gt 5&$orderby=Id", { $apply: groups, $orderby: "Color" })).toBe(
      "#/grid/Orders?$orderby=Color&$apply=filter(Total gt 5)/groupby((Color))",
    );
    expect(changed("Orders?$filter=Total gt 5", { $apply: "filter(Id gt 1)/groupby((Color))" })).toBe(
      "#/grid/Orders?$apply=filter(Total gt 5)/filter(Id gt 1)/groupby((Color))",
    );
    expect(changed("Orders?$filter=Total gt 5", { $apply: "topcount(2,Total)" })).toBe(
      "#/grid/Orders?$apply=filter(Total gt 5)/topcount(2,Total)",
    );
    expect(changed(grouped, { $apply: "" })).toBe("#/grid/Orders?$filter=Total gt 5");
    const found = "Orders?$apply=search(red)/filter(Total gt 5)/groupby((Color))";
    expect(changed("Orders?$search=red&$filter=Total gt 5", { $apply: groups })).toBe(`#/grid/${found}`);
    expect(changed(found, { $apply: "" })).toBe("#/grid/Orders?$search=red&$filter=Total gt 5");
    expect(changed(`${grouped}&$orderby=Color`, { $orderby: "Color desc" })).toBe(
      `#/grid/${grouped}&$orderby=Color desc`,
    );
  });
});

describe("the filter of a grid", () => {
  test("has conditions that can be removed one by one, and texts", () => {
    const conditions = conditionsOf("Total gt 5 and length(Color) eq 3 and Id in (1,2)");
    expect(conditions.map(({ kind }) => kind)).toEqual(["condition", "text", "condition"]);
    expect(filterOf(conditions.slice(1))).toBe("length(Color) eq 3 and Id in (1,2)");
    expect(conditionsOf("Id eq 1 or Total gt 5").length).toBe(1);
    expect(conditionsOf(undefined)).toEqual([]);
  });
});
