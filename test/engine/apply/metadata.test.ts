import { afterAll, expect, test } from "vitest";
import type { ComplexType, StructuralProperty } from "../../../src/edm/model.ts";
import { writeApplySupported } from "../../../src/payload/csdl/write-apply-supported.ts";
import { everything } from "../../language/binder/model.ts";
import { faultsOfJsonSchema, faultsOfSchema, readCsdl } from "../../payload/csdl/validate-csdl.ts";
import { complexType, entitySet as setOf, entityType as typeOf, property } from "../../payload/model.ts";
import { nodeDoor as door } from "../../service/http/doors.ts";
import { openSales, type SalesOptions } from "./sales-model.ts";

const opened: Array<{ readonly close: () => Promise<void> }> = [];
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

/** Returns `$metadata` of a service of sales: as XML, and as CSDL JSON. */
async function metadataOf(options: SalesOptions): Promise<{ readonly xml: string; readonly json: Csdl }> {
  const sales = await openSales("arraySource", options);
  opened.push(sales);
  const send = door.to(sales.service);
  const [xml, json] = await Promise.all([
    send("/s/$metadata", { Accept: "application/xml" }),
    send("/s/$metadata?$format=json"),
  ]);
  expect([xml.status, json.status]).toEqual([200, 200]);
  const csdl = JSON.parse(json.text) as Csdl;
  expect(await faultsOfSchema(xml.text)).toEqual([]);
  expect(faultsOfJsonSchema(csdl)).toEqual([]);
  readCsdl(xml.text);
  return { xml: xml.text, json: csdl };
}

interface Csdl {
  readonly $Reference: Readonly<Record<string, unknown>>;
  readonly Default: { readonly Container: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

/** Returns the annotations of a set about `$apply` and `$compute` in the JSON. */
function supportOf({ Default }: Csdl, set: string): unknown {
  const { Container: container } = Default;
  const { "@Org.OData.Aggregation.V1.ApplySupported": apply, "@Org.OData.Capabilities.V1.ComputeSupported": compute } =
    container[set] ?? {};
  return { apply, compute };
}

const REFERENCE = "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Aggregation.V1.json";
const NUMBER = ["sum", "min", "max", "average", "countdistinct"];
const ORDERED = ["min", "max", "countdistinct"];
/** By default of the vocabulary, a property has all methods. */
const aggregatable = (path: string, methods: readonly string[]) =>
  methods === NUMBER ? { Property: path } : { Property: path, SupportedAggregationMethods: methods };

test("a set describes steps, paths and methods; a navigation stands for the paths along it", async () => {
  const { json } = await metadataOf({});
  expect(json.$Reference[REFERENCE]).toEqual({ $Include: [{ $Namespace: "Org.OData.Aggregation.V1" }] });
  expect(supportOf(json, "Sales")).toEqual({
    compute: true,
    apply: {
      Transformations: [
        "identity",
        "filter",
        "groupby",
        "aggregate",
        "compute",
        "concat",
        "join",
        "outerjoin",
        "orderby",
        "topcount",
        "bottomcount",
        "topsum",
        "bottomsum",
        "toppercent",
        "bottompercent",
        "top",
        "skip",
      ],
      GroupableProperties:
        "Id City Amount Units Stock Weight Status At Day Took Paid ItemId Place/Street Place/Zip Item".split(" "),
      AggregatableProperties: [
        aggregatable("Id", NUMBER),
        aggregatable("City", ORDERED),
        aggregatable("Amount", NUMBER),
        aggregatable("Units", NUMBER),
        aggregatable("Stock", NUMBER),
        aggregatable("Weight", NUMBER),
        aggregatable("Status", ORDERED),
        aggregatable("At", ORDERED),
        aggregatable("Day", ORDERED),
        aggregatable("Took", NUMBER),
        aggregatable("Paid", ["countdistinct"]),
        aggregatable("ItemId", NUMBER),
        aggregatable("Place/Street", ORDERED),
        aggregatable("Place/Zip", ORDERED),
      ],
    },
  });
});

test("allowlists and switches restrict what is described, and XML says the same", async () => {
  const { xml, json } = await metadataOf({
    sales: {
      filterEnabled: false,
      orderByEnabled: false,
      computeEnabled: false,
      search: () => [],
      groupByProperties: ["city", "item"],
      aggregateProperties: ["paid"],
    },
  });
  expect(supportOf(json, "Sales")).toEqual({
    compute: undefined,
    apply: {
      Transformations: ["identity", "search", "groupby", "aggregate", "concat", "top", "skip"],
      GroupableProperties: ["City", "Item"],
      AggregatableProperties: [aggregatable("Paid", ["countdistinct"])],
    },
  });
  const written = xml.slice(xml.indexOf('<Annotation Term="Org.OData.Aggregation.V1.ApplySupported">'));
  expect(
    written.slice(0, written.indexOf("</Annotation>")).split(/(?<=>)(?=<(?!\/(?:String|\w*PropertyPath)>))/u),
  ).toEqual([
    '<Annotation Term="Org.OData.Aggregation.V1.ApplySupported">',
    "<Record>",
    '<PropertyValue Property="Transformations">',
    "<Collection>",
    "<String>identity</String>",
    "<String>search</String>",
    "<String>groupby</String>",
    "<String>aggregate</String>",
    "<String>concat</String>",
    "<String>top</String>",
    "<String>skip</String>",
    "</Collection>",
    "</PropertyValue>",
    '<PropertyValue Property="GroupableProperties">',
    "<Collection>",
    "<PropertyPath>City</PropertyPath>",
    "<NavigationPropertyPath>Item</NavigationPropertyPath>",
    "</Collection>",
    "</PropertyValue>",
    '<PropertyValue Property="AggregatableProperties">',
    "<Collection>",
    "<Record>",
    '<PropertyValue Property="Property" PropertyPath="Paid"/>',
    '<PropertyValue Property="SupportedAggregationMethods">',
    "<Collection>",
    "<String>countdistinct</String>",
    "</Collection>",
    "</PropertyValue>",
    "</Record>",
    "</Collection>",
    "</PropertyValue>",
    "</Record>",
  ]);
});

test("without properties to group by or to aggregate, their steps are not described", async () => {
  const { json } = await metadataOf({ sales: { groupByProperties: [], aggregateProperties: [] } });
  expect(supportOf(json, "Sales")).toMatchObject({
    apply: {
      Transformations:
        "identity filter compute concat orderby topcount bottomcount topsum bottomsum toppercent bottompercent top skip".split(
          " ",
        ),
    },
  });
});

test("a service whose sets do not support $apply refers to no further vocabulary", async () => {
  const off = { applyEnabled: false, computeEnabled: false };
  const { xml, json } = await metadataOf({ defaults: off });
  expect(supportOf(json, "Sales")).toEqual({ apply: undefined, compute: undefined });
  expect(xml).not.toMatch(/Aggregation|ComputeSupported/u);
  const specification = await openSales("arraySource", { profile: "specification" });
  opened.push(specification);
  const { text } = await door.to(specification.service)("/s/$metadata", { Accept: "application/xml" });
  // The profile of the standard writes severities of errors by an alias of their vocabulary.
  const severities = /<edmx:Reference Uri="[^"]*\/vocabularies\/Common\.xml"><edmx:Include [^>]*\/><\/edmx:Reference>/u;
  expect(xml).toMatch(severities);
  expect(text).toBe(xml.replace(severities, ""));
});

test("the paths into a complex type that contains itself end before it repeats", () => {
  const properties: StructuralProperty[] = [property("Name", "Edm.String")];
  const node: ComplexType = { ...complexType("Node", []), properties };
  properties.push(property("Next", node));
  const set = setOf("Nodes", typeOf("Root", [property("Id", "Edm.Int32"), property("First", node)]));
  const written = JSON.stringify(writeApplySupported(set, everything));
  expect(written).toContain("First/Name");
  expect(written).not.toContain("First/Next");
});
