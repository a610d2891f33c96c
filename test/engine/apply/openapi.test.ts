import { edm, entitySet, entityType, fn, hasOptional, odataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { afterAll, expect, test } from "vitest";
import { contentOf, operationOf, operationsOf, parametersOf, schemaOf } from "../../hosts/openapi/walk.ts";
import { nodeDoor as door, ORIGIN } from "../../service/http/doors.ts";
import { FORMS, openSales, Sale, Item } from "./sales-model.ts";

const LATEST = fn(Sale, {
  bound: "collection",
  returns: edm.collection(Sale),
  composable: true,
  handler: () => [],
} as never);
const opened = await Promise.all(
  FORMS.map(async (form) => ({ form, ...(await openSales(form, { sales: { functions: { Latest: LATEST } } })) })),
);
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

function isTable(form: string): boolean {
  return form !== "getAll" && form !== "arraySource";
}

type Document = ReturnType<typeof openApiDocument>;

/** Returns the example of a parameter; null without an example; undefined without the parameter. */
function exampleOf(document: Document, path: string, name: string): unknown {
  const parameter = operationOf(document, "GET", path).parameters?.find((each) => each.name === name);
  if (parameter === undefined) return undefined;
  const examples = parameter.schema?.["examples"] as readonly string[] | undefined;
  // The first example of $apply fits those of the other options.
  return examples?.at(-1) ?? null;
}

const APPLY_OF_SALES = "groupby((Status),aggregate(Amount with sum as Total))";
const ROWS: Readonly<Record<string, string>> = {
  [`/s/Sales?$apply=${APPLY_OF_SALES}`]:
    `{"@odata.context":"${ORIGIN}/s/$metadata#Sales(Status,Total)","value":[` +
    '{"Status":"Void","Total@odata.type":"#Decimal","Total":0.20},' +
    '{"Status":"Closed","Total@odata.type":"#Decimal","Total":30.50},' +
    '{"Status":"Open","Total@odata.type":"#Decimal","Total":94.84}]}',
};

test.each(opened.map(({ form, service }) => [form, service] as const))(
  "every example can be sent: %s",
  async (form, service) => {
    const document = openApiDocument(service);
    const sent: string[] = [];
    for (const operation of operationsOf(document)) {
      const [method = "", template = ""] = operation.split(" ");
      if (method !== "GET") continue;
      for (const name of ["$apply", "$compute"]) {
        const example = exampleOf(document, template, name);
        if (typeof example !== "string") continue;
        const path = template.replaceAll(/\{\w+\}/gu, "1");
        const { status, text } = await door.to(service)(`${path}?${name}=${encodeURIComponent(example)}`);
        expect(status, `${path} ${example} ${text}`).toBe(200);
        const target = `${path}?${name}=${example}`;
        if (ROWS[target] !== undefined) expect(text).toBe(ROWS[target]);
        sent.push(target);
      }
    }
    const along = [
      `/s/Items(1)/Sales/$count?$apply=${APPLY_OF_SALES}`,
      "/s/Items(1)/Kind?$compute=length(Label) as Length",
      "/s/Items(1)/Sales(1)?$compute=length(City) as Length",
      `/s/Items(1)/Sales?$apply=${APPLY_OF_SALES}`,
      "/s/Items(1)/Sales?$compute=length(City) as Length",
      "/s/Sales(1)/Item?$compute=length(Name) as Length",
    ];
    const ofSets = [
      "/s/Items/$count?$apply=groupby((Name),aggregate(Rate with sum as Total))",
      `/s/Sales/$count?$apply=${APPLY_OF_SALES}`,
      "/s/Items(1)?$compute=length(Name) as Length",
      "/s/Items?$apply=groupby((Name),aggregate(Rate with sum as Total))",
      "/s/Items?$compute=length(Name) as Length",
      "/s/Kinds(1)?$compute=length(Label) as Length",
      "/s/Kinds?$compute=length(Label) as Length",
      "/s/Sales(1)?$compute=length(City) as Length",
      `/s/Sales/Latest?$apply=${APPLY_OF_SALES}`,
      "/s/Sales/Latest?$compute=length(City) as Length",
      `/s/Sales?$apply=${APPLY_OF_SALES}`,
      "/s/Sales?$compute=length(City) as Length",
    ];
    expect(sent.toSorted()).toEqual((isTable(form) ? [...along, ...ofSets] : ofSets).toSorted());
  },
);

test("where $apply is on, the items of a page are entities or rows with any members", () => {
  const tables = opened.filter(({ form }) => isTable(form)).map(({ service }) => service);
  const document = openApiDocument(tables.slice(0, 1));
  const page = contentOf(operationOf(document, "GET", "/s/Sales"), "200");
  expect(page).toEqual({ $ref: "#/components/schemas/Sale.rows" });
  expect(contentOf(operationOf(document, "GET", "/s/Items({Id})/Sales"), "200")).toEqual(page);
  expect(contentOf(operationOf(document, "GET", "/s/Sales/Latest"), "200")).toEqual(page);
  expect(schemaOf(document, "Sale.rows").properties?.["value"]).toEqual({
    type: "array",
    items: {
      anyOf: [
        { $ref: "#/components/schemas/Sale" },
        {
          type: "object",
          description: "With $apply: a row with the properties and aliases of its steps.",
          additionalProperties: true,
        },
      ],
    },
  });
});

test("a set without a text and a number has no example", () => {
  const Tag = entityType("Tag", {
    id: edm.int32().key(),
    total: edm.int32(),
    sum: edm.int32(),
    itemId: edm.int32().nullable(),
  });
  const Note = entityType("Note", { id: edm.string().key(), total: edm.int32(), text: edm.string(), sum: edm.int32() });
  const document = openApiDocument(
    odataService({
      profile: "standard",
      entitySets: [
        entitySet(Tag, {
          getAll: () => [],
          navigation: { item: hasOptional(Item, { target: "Items", on: { itemId: "id" } }) },
        }),
        entitySet(Note, { getAll: () => [] }),
        entitySet(Item, { getAll: () => [], groupByProperties: ["id"], applyEnabled: true, computeEnabled: false }),
      ],
    }),
  );
  expect(exampleOf(document, "/Tags", "$apply")).toBeNull();
  expect(exampleOf(document, "/Tags", "$compute")).toBeNull();
  expect(exampleOf(document, "/Notes", "$apply")).toBe("groupby((Text),aggregate(Total with sum as Total))");
  expect(exampleOf(document, "/Items", "$apply")).toBeNull();
  expect(exampleOf(document, "/Items", "$compute")).toBeUndefined();
});

test("where $apply and $compute are off, nothing describes them", async () => {
  const sales = await openSales("arraySource", { profile: "specification" });
  const document = openApiDocument(sales.service);
  for (const operation of operationsOf(document)) {
    const [method = "", path = ""] = operation.split(" ");
    expect(parametersOf(operationOf(document, method, path), "query")).not.toContain("$apply");
    expect(parametersOf(operationOf(document, method, path), "query")).not.toContain("$compute");
  }
  expect(contentOf(operationOf(document, "GET", "/s/Sales"), "200")).toEqual({
    $ref: "#/components/schemas/Sale.collection",
  });
});
