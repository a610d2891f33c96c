import {
  complexType,
  edm,
  type EntityOf,
  entitySet,
  entityType,
  type ODataService,
  odataService,
  role,
} from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";

const Card = complexType("Card", {
  name: edm.string(),
  picture: edm.binary().nullable().mediaType({ property: "pictureType" }),
  pictureType: edm.string().nullable(),
});
const Doc = entityType("Doc", {
  id: edm.int32().key(),
  plain: edm.binary().nullable(),
  photo: edm.binary().nullable().mediaType("image/png"),
  content: edm
    .binary()
    .nullable()
    .mediaType({ property: "contentType", accepts: ["text/html", "image/PNG"] }),
  contentType: edm.string().nullable(),
  card: edm.complex(Card).nullable(),
});
const BYTES = Uint8Array.of(1, 2, 3, 0xff);
const HTML = { "content-type": "text/html" };

function serviceOf(profile: "specification" | "standard", isRuled = false) {
  const docs = new Map<number, EntityOf<typeof Doc>>([
    [1, { id: 1, plain: BYTES, photo: BYTES, content: BYTES, contentType: "image/png", card: null }],
    [2, { id: 2, plain: BYTES, photo: BYTES, content: BYTES, contentType: "no type", card: { name: "a" } as never }],
  ]);
  const admin = role("admin");
  const set = entitySet(Doc, {
    getByKey: (key) => docs.get(key) ?? null,
    patch: (id, delta) => {
      const stored = docs.get(id);
      if (stored === undefined) return null;
      const { card, ...others } = delta;
      const whole = card === undefined || card === null ? stored.card : ({ ...stored.card, ...card } as never);
      docs.set(id, { ...stored, ...others, card: whole });
      return docs.get(id) as object as typeof stored;
    },
    propertyRouteDocsEnabled: true,
    ...(isRuled && { authorization: { properties: { contentType: { read: admin, update: admin } } } }),
  });
  const service = odataService({
    profile,
    entitySets: [set],
    defaults: { propertyAccessEnabled: true },
    authenticate: () => ({ id: "eva", roles: [] }),
  });
  return { service, docs };
}

async function ask(service: ODataService, method: string, path: string, headers = {}, body?: Uint8Array<ArrayBuffer>) {
  const request = new Request(`http://a.example/${path}`, { method, headers, ...(body && { body }) });
  const response = await service.fetch(request);
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    disposition: response.headers.get("content-disposition"),
    allow: response.headers.get("allow"),
    text,
  };
}

describe("the specification permits writes of raw bytes", () => {
  test("only where their media type is declared", async () => {
    const { service, docs } = serviceOf("specification");
    const octets = { "content-type": "application/octet-stream" };
    const refused = await ask(service, "PUT", "Docs(1)/Plain/$value", octets, BYTES);
    expect(refused).toMatchObject({ status: 405, allow: "GET, HEAD, OPTIONS" });
    expect((await ask(service, "PUT", "Docs(1)/Content/$value", HTML, BYTES)).status).toBe(204);
    expect(docs.get(1)).toMatchObject({ content: BYTES, contentType: "text/html" });
    expect((await ask(service, "DELETE", "Docs(1)/Content/$value")).status).toBe(204);
    expect(docs.get(1)).toMatchObject({ content: null, contentType: "text/html" });
    expect((await ask(service, "GET", "Docs(1)/Content/$value")).status).toBe(404);
  });
});

describe("a stored media type", () => {
  test("is that of the response, if it is one", async () => {
    const { service } = serviceOf("standard");
    const valid = await ask(service, "GET", "Docs(1)/Content/$value", { accept: "image/png, text/html;q=0.5" });
    expect(valid).toMatchObject({ status: 200, type: "image/png", disposition: "attachment" });
    const invalid = await ask(service, "GET", "Docs(2)/Content/$value");
    expect(invalid).toMatchObject({ status: 200, type: "application/octet-stream", disposition: "attachment" });
    expect((await ask(service, "GET", "Docs(2)/Content/$value", { accept: "image/png" })).status).toBe(406);
    expect((await ask(service, "GET", "Docs(2)/Content/$value", { accept: "application/json" })).status).toBe(200);
  });

  test("is written only by those who may change it, and shown to those who may read it", async () => {
    const { service, docs } = serviceOf("standard", true);
    expect((await ask(service, "PUT", "Docs(1)/Content/$value", HTML, BYTES)).status).toBe(403);
    expect(docs.get(1)?.contentType).toBe("image/png");
    const read = await ask(service, "GET", "Docs(1)/Content/$value");
    expect(read).toMatchObject({ status: 200, type: "application/octet-stream", disposition: null });
    expect((await ask(service, "PUT", "Docs(1)/Photo/$value", { "content-type": "image/png" }, BYTES)).status).toBe(
      204,
    );
  });

  test("belongs to the complex value with the bytes", async () => {
    const { service, docs } = serviceOf("standard");
    expect((await ask(service, "PUT", "Docs(2)/Card/Picture/$value", HTML, BYTES)).status).toBe(204);
    expect(docs.get(2)?.card).toEqual({ name: "a", picture: BYTES, pictureType: "text/html" });
    const read = await ask(service, "GET", "Docs(2)/Card/Picture/$value");
    expect(read).toMatchObject({ status: 200, type: "text/html", disposition: "attachment" });
  });
});

test("OpenAPI describes the writes of bytes", () => {
  const document = openApiDocument(serviceOf("specification").service);
  const of = (method: string, name: string) => {
    const path = (document.paths as Record<string, Record<string, object>>)[`/Docs({Id})/${name}/$value`];
    return path?.[method];
  };
  expect(of("put", "Plain")).toBeUndefined();
  expect(of("put", "Photo")).toMatchObject({
    operationId: "Docs.Photo.replaceValue",
    requestBody: { required: true, content: { "image/png": { schema: {} } } },
  });
  expect(of("get", "Content")).toMatchObject({ responses: { 200: { content: { "text/html": {}, "image/png": {} } } } });
  expect(of("delete", "Content")).toMatchObject({ operationId: "Docs.Content.clearValue" });
});

test("$metadata states media types", async () => {
  const { service } = serviceOf("standard");
  const { text } = await ask(service, "GET", "$metadata");
  expect(text).toContain('<Annotation Term="Org.OData.Core.V1.MediaType" String="image/png"/>');
  expect(text).toContain(
    '<Annotation Term="Org.OData.Core.V1.MediaType" Path="ContentType"/><Annotation Term="Org.OData.Core.V1.AcceptableMediaTypes"><Collection><String>text/html</String><String>image/png</String></Collection></Annotation>',
  );
});
