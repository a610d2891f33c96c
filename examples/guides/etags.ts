import { edm, entitySet, entityType, odataService } from "odatakit";

const Page = entityType("Page", { id: edm.int32().key(), text: edm.string(), version: edm.int32().computed() });
const page = { id: 1, text: "first", version: 1 };

const pages = entitySet(Page, {
  etag: ["version"],
  getByKey: (id) => (id === page.id ? { ...page } : null),
  patch: (id, delta, { expected }) => {
    // As `where id = ? and version = ?` in a statement.
    if (id !== page.id || (expected !== undefined && expected.version !== page.version)) return null;
    return { ...Object.assign(page, delta, { version: page.version + 1 }) };
  },
});

const wiki = odataService({ entitySets: [pages] });
const url = "http://wiki.example/Pages(1)";
const etag = (await wiki.fetch(new Request(url))).headers.get("ETag") ?? "";
const headers = { "Content-Type": "application/json", "If-Match": etag };
const write = () => wiki.fetch(new Request(url, { method: "PATCH", headers, body: '{"Text":"second"}' }));
console.log((await write()).status, (await write()).status);
