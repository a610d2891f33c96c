import { complexType, edm, entitySet, entityType, odataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { ORIGIN } from "../../service/http/doors.ts";
import { contentOf, operationOf, operationsOf, parametersOf } from "./walk.ts";

const Place = complexType("Place", { city: edm.string() });
const Note = entityType("Note", {
  id: edm.int32().key(),
  title: edm.string({ maxLength: 9 }),
  score: edm.int32().nullable(),
  place: edm.complex(Place).nullable(),
  tags: edm.collection(edm.string()),
  picture: edm.binary().nullable(),
  madeBy: edm.string().immutable(),
  version: edm.int32().computed(),
  secret: edm.string().ignored(),
});
const NOTE = {
  id: 1,
  title: "one",
  score: 5,
  place: { city: "Rome" },
  tags: ["a"],
  picture: new Uint8Array([1]),
  madeBy: "ann",
  version: 1,
  secret: "hush",
};

/** One note, whose properties have routes. */
function notes(settings: object, isWritten = true) {
  return odataService({
    entitySets: [
      entitySet(Note, {
        getByKey: () => ({ ...NOTE }),
        ...(isWritten ? { patch: () => ({ ...NOTE }) } : {}),
        etag: ["version"],
        ...settings,
      }),
    ],
  });
}

const service = notes({ propertyRouteDocsEnabled: true });
const document = openApiDocument(service);
const ENTITY = "/Notes({Id})";
const statusesOf = (method: string, path: string) => Object.keys(operationOf(document, method, path).responses);

/** Returns the property routes of a document. */
function propertyRoutes(described: ReturnType<typeof notes>): readonly string[] {
  return operationsOf(openApiDocument(described)).filter((each) => each.includes(`${ENTITY}/`));
}

const READS = ["Id", "Title", "Score", "Place", "Tags", "Picture", "MadeBy", "Version"].map(
  (name) => `GET ${ENTITY}/${name}`,
);
const VALUES = ["Id", "Title", "Score", "Picture", "MadeBy", "Version"].map((name) => `GET ${ENTITY}/${name}/$value`);

describe("routes of single properties", () => {
  test("are all described if PropertyRouteDocsEnabled is true", () => {
    expect(propertyRoutes(service)).toEqual(
      [
        ...READS,
        ...VALUES,
        ...["Title", "Score", "Place", "Tags", "Picture"].map((name) => `PUT ${ENTITY}/${name}`),
        ...["Title", "Score", "Picture"].map((name) => `PATCH ${ENTITY}/${name}`),
        ...["Score", "Place", "Picture"].map((name) => `DELETE ${ENTITY}/${name}`),
      ].toSorted(),
    );
  });

  test.each([[{}], [{ propertyRouteDocsEnabled: false }], [{ propertyRouteDocsEnabled: undefined }]])(
    "are not described where it is not: %o",
    async (settings) => {
      const quiet = notes(settings);
      expect(propertyRoutes(quiet)).toEqual([]);
      // The routes still exist.
      expect((await quiet.fetch(new Request(`${ORIGIN}/Notes(1)/Title`))).status).toBe(200);
    },
  );

  test("are not described if they do not exist", () => {
    expect(propertyRoutes(notes({ propertyRouteDocsEnabled: true }, false))).toEqual([...READS, ...VALUES].toSorted());
    expect(propertyRoutes(notes({ propertyRouteDocsEnabled: true, propertyAccessEnabled: false }))).toEqual([]);
    const keyless = notes({ propertyRouteDocsEnabled: true, getByKey: undefined });
    expect(propertyRoutes(keyless).filter((each) => each.startsWith("GET"))).toEqual([]);
  });

  test("GET: the value in an envelope; no content for null", () => {
    const { parameters } = operationOf(document, "GET", `${ENTITY}/Score`);
    expect(parameters?.map(({ name }) => name)).toEqual(["Id", "If-Match", "If-None-Match"]);
    expect(contentOf(operationOf(document, "GET", `${ENTITY}/Title`), "200")).toEqual({
      type: "object",
      properties: { "@odata.context": { type: "string" }, value: { type: "string", maxLength: 9 } },
      required: ["value"],
    });
    expect(contentOf(operationOf(document, "GET", `${ENTITY}/Tags`), "200")).toMatchObject({
      properties: { value: { type: "array", items: { type: "string" } } },
    });
    expect(statusesOf("GET", `${ENTITY}/Title`)).toEqual(["200", "304", "400", "404", "406", "412", "500", "503"]);
    expect(statusesOf("GET", `${ENTITY}/Score`)).toContain("204");
    expect(operationOf(document, "GET", `${ENTITY}/Title`).responses["200"]?.headers).toHaveProperty("ETag");
  });

  test("GET of $value: text, or bytes", () => {
    const typesOf = (name: string) =>
      Object.keys(operationOf(document, "GET", `${ENTITY}/${name}/$value`).responses["200"]?.content ?? {});
    expect(typesOf("Title")).toEqual(["text/plain"]);
    expect(typesOf("Picture")).toEqual(["application/octet-stream"]);
    // If-Match has no effect here.
    const operation = operationOf(document, "GET", `${ENTITY}/Title/$value`);
    expect(parametersOf(operation, "header")).toEqual(["If-None-Match"]);
    expect(operation.responses).not.toHaveProperty("412");
  });

  test.each(["PUT", "PATCH"])("%s: the value in an object; no content in return", (method) => {
    const operation = operationOf(document, method, `${ENTITY}/Title`);
    expect(contentOf(operation, "body")).toEqual({
      type: "object",
      properties: { value: { type: "string", maxLength: 9 } },
      required: ["value"],
    });
    expect(parametersOf(operation, "header")).toEqual(["If-Match", "If-None-Match"]);
    expect(Object.keys(operation.responses)).toEqual([
      "204",
      "400",
      "404",
      "406",
      "409",
      "412",
      "413",
      "415",
      "500",
      "503",
    ]);
  });

  test("PUT of a complex value: the whole of it", () => {
    expect(contentOf(operationOf(document, "PUT", `${ENTITY}/Place`), "body")).toMatchObject({
      properties: { value: { anyOf: [{ $ref: "#/components/schemas/Place.body" }, { type: "null" }] } },
    });
  });

  test("DELETE: without a body", () => {
    const operation = operationOf(document, "DELETE", `${ENTITY}/Score`);
    expect(operation.requestBody).toBeUndefined();
    expect(parametersOf(operation, "header")).toEqual(["If-Match", "If-None-Match"]);
    expect(statusesOf("DELETE", `${ENTITY}/Score`)).toEqual(["204", "400", "404", "406", "409", "412", "500", "503"]);
  });

  test("all work as described", async () => {
    const bodies: Readonly<Record<string, unknown>> = {
      Title: "two",
      Score: 6,
      Place: { City: "Oslo" },
      Tags: [],
      Picture: "AQ",
    };
    const routes = propertyRoutes(service);
    for (const each of routes) {
      const [method = "", template = ""] = each.split(" ");
      const value = bodies[template.slice(ENTITY.length + 1)];
      const body = method === "PUT" || method === "PATCH" ? JSON.stringify({ value }) : null;
      const headers = { "Content-Type": "application/json" };
      const request = new Request(ORIGIN + template.replace("{Id}", "1"), { method, headers, body });
      expect([each, (await service.fetch(request)).status]).toEqual([each, method === "GET" ? 200 : 204]);
    }
    expect(routes).toHaveLength(25);
  });
});
