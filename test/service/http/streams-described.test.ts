import {
  columnStore,
  type ConfigurationError,
  edm,
  entitySet,
  entityType,
  type ODataService,
  odataService,
  type StreamOptions,
} from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import { listedGallery, tabledGallery, watchedStore } from "./stream-model.ts";

/** What documents say about streams, batches with streams, and faults of their declarations. */

const ROOT = "http://g.example/";

describe("streams are described", () => {
  const { service } = listedGallery();

  test("in $metadata", async () => {
    const text = await (
      await service.fetch(new Request(`${ROOT}$metadata`, { headers: { "x-roles": "boss" } }))
    ).text();
    expect(text).toContain(
      '<Property Name="Photo" Type="Edm.Stream" MaxLength="1000"><Annotation Term="Org.OData.Core.V1.AcceptableMediaTypes"><Collection><String>image/png</String><String>text/plain</String></Collection></Annotation></Property>',
    );
    expect(text).toContain(
      '<Property Name="Scan" Type="Edm.Stream" MaxLength="2000"><Annotation Term="Org.OData.Core.V1.Description" String="The signed form."/></Property>',
    );
    expect(text).toContain('<EntityType Name="Picture" HasStream="true">');
    expect(text).not.toMatch(/PhotoBytes|Name="File"/);
    const restricted = text.slice(text.indexOf('<EntitySet Name="People"'));
    expect(restricted).toContain("<PropertyPath>Photo</PropertyPath>");
    const json = await (await service.fetch(new Request(`${ROOT}$metadata?$format=json`))).json();
    const [types] = Object.values(json as Readonly<Record<string, unknown>>).filter(
      (each) => typeof each === "object" && each !== null && "Picture" in each,
    );
    expect(types).toMatchObject({
      Picture: { $HasStream: true, "@Org.OData.Core.V1.AcceptableMediaTypes": ["image/png", "image/jpeg"] },
      Person: { Photo: { $Type: "Edm.Stream", $MaxLength: 1000 } },
    });
  });

  test("in OpenAPI", () => {
    const { paths, components } = openApiDocument(service) as unknown as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
      readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
    };
    const methods = (path: string): readonly string[] => Object.keys(paths[path] ?? {}).toSorted();
    expect(methods("/People({Id})/Photo")).toEqual(["delete", "get", "put"]);
    expect(methods("/Pictures({Id})/$value")).toEqual(["delete", "get", "put"]);
    expect(paths["/People({Id})/Photo"]?.["put"]).toMatchObject({
      requestBody: { required: true, content: { "image/png": { schema: {} }, "text/plain": { schema: {} } } },
    });
    expect(paths["/Pictures"]?.["post"]).toMatchObject({
      requestBody: { content: { "image/png": { schema: {} }, "image/jpeg": { schema: {} } } },
    });
    expect(Object.keys(components.schemas["Person"]?.properties ?? {})).toEqual(
      expect.arrayContaining(["Photo@odata.mediaContentType", "Scan@odata.mediaEtag"]),
    );
    expect(Object.keys(components.schemas["Person"]?.properties ?? {})).not.toContain("Photo");
  });
});

describe("batches", () => {
  const { service, store } = listedGallery();
  type Responses = ReadonlyArray<Readonly<Record<string, unknown>>>;
  const batch = (...requests: readonly object[]): Promise<Responses> => batchOf(service, ...requests);
  const batchOf = async (to: ODataService, ...requests: readonly object[]): Promise<Responses> => {
    const headers = { "Content-Type": "application/json", "x-roles": "boss" };
    const body = JSON.stringify({ requests });
    const response = await to.fetch(new Request(`${ROOT}$batch`, { method: "POST", headers, body }));
    return ((await response.json()) as { readonly responses: Responses }).responses;
  };
  const put = (id: string, url: string, more = {}) => ({
    id,
    url,
    method: "PUT",
    headers: { "Content-Type": "image/png" },
    body: btoa("hello"),
    ...more,
  });

  test("contain bytes as text in Base64, and write them outside of change sets", async () => {
    const [photo, scan, read, picture] = await batch(
      put("1", "People(1)/Photo"),
      put("2", "People(1)/Scan"),
      { id: "3", url: "People(1)/Photo", method: "GET" },
      { ...put("4", "Pictures"), method: "POST" },
    );
    expect([photo?.["status"], scan?.["status"], picture?.["status"]]).toEqual([204, 204, 201]);
    expect(read).toMatchObject({ status: 200, body: "aGVsbG8" });
    expect(store.kept.size).toBe(2);
  });

  test("refuse bytes of a store in change sets by name", async () => {
    const [engine] = ENGINES;
    if (engine === undefined) throw new Error("A run has a database.");
    const { db, close } = await engine.open();
    const { service: tabled, store: outside } = await tabledGallery(db, engine.name);
    const group = { atomicityGroup: "g" };
    const patched = { method: "PATCH", headers: { "Content-Type": "application/json" }, body: { Name: "A" }, ...group };
    const within = batchOf(tabled, { id: "0", url: "People(1)", ...patched }, put("1", "People(2)/Scan", group));
    const [, refused] = await within;
    expect(outside.kept.size).toBe(0);
    const [, column] = await batchOf(
      tabled,
      { id: "0", url: "People(1)", ...patched },
      put("1", "People(2)/Photo", group),
    );
    expect(column).toMatchObject({ status: 204 });
    await close();
    expect(refused).toMatchObject({
      status: 501,
      body: {
        error: {
          code: "NotImplemented",
          message: "The bytes of 'scan' are stored outside of the database: write them outside of change sets.",
        },
      },
    });
  });
});

describe("faults of declarations", () => {
  const faultsOf = (options: unknown, more: object = {}): readonly string[] => {
    const Thing = entityType("Thing", {
      id: edm.int32().key(),
      bytes: edm.binary().nullable().ignored(),
      text: edm.string().nullable(),
      photo: edm.stream(options as StreamOptions),
    });
    try {
      odataService({ entitySets: [entitySet(Thing, { getAll: () => [], ...more })], profile: "standard" });
      return [];
    } catch (error) {
      return (error as ConfigurationError).faults.map(({ message }) => message);
    }
  };

  test.each([
    [1, "The stream `photo` of Thing has 1 in place of options."],
    [{}, "The stream `photo` of Thing has undefined as `store`."],
    [{ store: { write: 1 } }, "The stream `photo` of Thing has an object as `store`."],
    [
      { store: columnStore("text") },
      'The stream `photo` of Thing keeps its bytes in "text", which is no nullable and ignored Binary of Thing.',
    ],
    [
      { store: columnStore("bytes"), maxBytes: null },
      "The stream `photo` of Thing has no limit, but its bytes are read whole.",
    ],
    [{ store: columnStore("bytes"), maxBytes: 0 }, "The stream `photo` of Thing cannot have 0 as `maxBytes`."],
    [
      { store: columnStore("bytes"), idleTimeout: 1.5 },
      "The stream `photo` of Thing cannot have 1.5 as `idleTimeout`.",
    ],
    [
      { store: columnStore("bytes"), accepts: [] },
      "The stream `photo` of Thing has no list of media types as `accepts`.",
    ],
    [{ store: columnStore("bytes"), limit: 1 }, "The stream `photo` of Thing has no option `limit`."],
  ])("%j", (options, message) => {
    expect(faultsOf(options)).toContainEqual(message);
  });

  test("of media", () => {
    const store = watchedStore();
    expect(faultsOf({ store }, { media: { stream: "text" } })).toEqual([
      '`media.stream` is "text", which is no stream of Thing.',
    ]);
    expect(faultsOf({ store }, { media: { stream: "photo" }, create: () => null })).toEqual([
      "POST of `media` sends bytes alone, but new entities need a value of `id`.",
    ]);
    expect(faultsOf({ store }, { filterProperties: ["photo"] })).toEqual([
      "`filterProperties` names `photo`, which is ignored: clients must not see it.",
    ]);
    expect(faultsOf({ store }, { selectProperties: ["photo"] })).toEqual([]);
  });

  test("of a service with the profile of the specification", () => {
    const Thing = entityType("Thing", { id: edm.int32().key(), photo: edm.stream({ store: watchedStore() }) });
    expect(() =>
      odataService({ profile: "specification", entitySets: [entitySet(Thing, { getAll: () => [] })] }),
    ).toThrow("The stream `photo` of Thing needs a service with the profile of the standard.");
  });
});
