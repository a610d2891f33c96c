import { describe, test } from "vitest";
import { eachDoor, expectError, url } from "./doors.ts";
import { FORM_NAMES, itemService, SAMPLE_SETS, sampleService } from "./model.ts";

const refused = (target: string) => ({ status: 400, code: "UnsupportedQueryOption", target });

eachDoor((door) => {
  const send = door.to(sampleService);

  describe("unsupported options, on every form of reading", () => {
    test.each([
      ["$apply", "groupby((Name))"],
      ["$apply", ""],
      ["$compute", "Id add 1 as Next"],
      ["$index", "0"],
      ["$deltatoken", "x"],
      ["$search", "a"],
      ["$search", ""],
    ])("%s=%s", async (option, value) => {
      for (const form of FORM_NAMES) {
        const ask = door.to(itemService(form));
        expectError(await ask(url("/s/Items", { [option]: value })), refused(option));
        expectError(await ask(url("/s/Items/$count", { [option]: value })), refused(option));
      }
    });

    test.each(["$apply=x", "$compute=x", "$index=1", "$deltatoken=x", "$search=x"])(
      "on one entity: %s",
      async (option) => {
        expectError(await send(`/odata/Samples(1)?${option}`), refused(option.split("=")[0]!));
      },
    );
  });

  describe("unsupported expressions", () => {
    const EXPRESSIONS = [
      "Parts(1)/Name eq 'x'",
      "$it/Kit.Sample/Id eq 1",
      "Kit.Sample/Id eq 1",
      "isof(Kit.Address)",
      "isof(Id,Kit.Color)",
      "cast(Id,Edm.Date) eq null",
      "cast(Edm.String) eq '1'",
      "geo.distance(Home,Home) gt 1",
      "geo.length(Home) gt 1",
      "geo.intersects(Home,Home)",
      "$root/Samples/$count gt 0",
      "$root/Samples/any(s:s/Id eq 1)",
    ];

    test.each(EXPRESSIONS)("$filter=%s", async ($filter) => {
      for (const set of SAMPLE_SETS.slice(0, 1)) {
        expectError(await send(url(`/odata/${set}`, { $filter })), refused("$filter"));
        expectError(await send(url(`/odata/${set}/$count`, { $filter })), refused("$filter"));
      }
    });

    test.each(["Parts(1)/Name", "cast(Id,Edm.Date)", "$root/Samples/$count"])("$orderby=%s", async ($orderby) => {
      expectError(await send(url("/odata/Samples", { $orderby })), refused("$orderby"));
    });
  });

  test("functions that 4.0 does not have are unknown ones", async () => {
    for (const $filter of ["matchesPattern(Text,'a')", "hassubset(Texts,Texts)", "foo(Text)"]) {
      expectError(await send(url("/odata/Samples", { $filter })), {
        status: 400,
        code: "InvalidQueryOption",
        target: "$filter",
      });
    }
  });

  describe("unknown resources: 404", () => {
    test.each([
      "/odata/$crossjoin(Samples,Parts)",
      "/odata/$all",
      "/odata/$entity?$id=Samples(1)",
      "/odata/Samples/Kit.Sample",
      "/odata/Samples(1)/Kit.Sample",
      "/odata/Samples/$ref",
      "/odata/Samples(1)/$value",
      "/odata/Samples/$filter(Id%20eq%201)",
      "/odata/Samples/1",
    ])("%s", async (path) => {
      expectError(await send(path), { status: 404, code: "NotFound" });
    });
  });
});
