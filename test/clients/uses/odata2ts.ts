import { ShopService } from "./client/ShopService";

interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: never;
}

const JSON_HEADERS = { Accept: "application/json", "Content-Type": "application/json" };

async function send(method: string, url: string, data?: unknown): Promise<Answer> {
  const body = data === undefined ? {} : { body: JSON.stringify(data) };
  const response = await fetch(url, { method, headers: JSON_HEADERS, ...body });
  const text = await response.text();
  const value = (text === "" ? undefined : JSON.parse(text)) as never;
  return { status: response.status, statusText: response.statusText, headers: {}, data: value };
}

const http = {
  retrieveBigNumbersAsString: () => undefined,
  get: (url: string) => send("GET", url),
  post: (url: string, data: unknown) => send("POST", url, data),
  put: (url: string, data: unknown) => send("PUT", url, data),
  patch: (url: string, data: unknown) => send("PATCH", url, data),
  delete: (url: string) => send("DELETE", url),
};

/** Uses the client that odata2ts generated from `$metadata`. Prints one JSON text. */
async function use(url: string): Promise<unknown> {
  const service = new ShopService(http as never, url);
  const list = await service.Products().query((builder, product) =>
    builder
      .select("Id", "Name")
      .filter(product.Name.contains("1").and(product.Price.gt(20)))
      .orderBy(product.Id.desc())
      .expand("Category")
      .top(2)
      .count(),
  );
  const one = await service.Products(3).query();
  const created = await service.Products().create({ Name: "New", Price: 5.5, IsInStock: true } as never);
  const changed = await service.Products(2).patch({ Name: "Changed" });
  const deleted = await service.Products(4).delete();
  const above = await service.CountAbove({ price: 50 });
  return {
    list: list.data,
    one: one.data,
    created: created.data,
    statuses: [created.status, changed.status, deleted.status],
    above: above.data,
  };
}

use(process.argv[2] ?? "").then(
  (result) => console.log(JSON.stringify(result)),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
