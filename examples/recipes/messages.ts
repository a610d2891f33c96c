import { arraySource, edm, entitySet, entityType, type Messages, odataError, odataService } from "odatakit";

const german: Readonly<Record<string, string>> = {
  MinLength: "Geben Sie mindestens {minLength} Zeichen ein.",
  Maximum: "Der Wert darf höchstens {maximum} sein.",
  Required: "Dieses Feld ist erforderlich.",
  InvalidBody: "Korrigieren Sie die markierten Felder.",
  SoldOut: "Es sind nur noch {left} vorrätig.",
  NotFound: "Der Eintrag ist nicht vorhanden.",
};
const french: typeof german = {
  MinLength: "Saisissez au moins {minLength} caractères.",
  NotFound: "L’entrée n’existe pas.",
};
const tables = new Map([
  ["de", german],
  ["fr", french],
]);
const messages: Messages = (code, parameters, language) =>
  tables.get(language.slice(0, 2))?.[code]?.replaceAll(/\{(\w+)\}/g, (_hole, name: string) => String(parameters[name]));

const Product = entityType("Product", {
  id: edm.int32().key(),
  name: edm.string({ minLength: 3 }),
  wanted: edm.int32({ maximum: 100 }),
});
const rows: Array<{ id: number; name: string; wanted: number }> = [];
const shop = odataService({
  messages,
  entitySets: [
    entitySet(Product, {
      queryable: () => arraySource(Product, rows),
      getByKey: (id) => rows.find((row) => row.id === id) ?? null,
      create: (product) =>
        product.wanted > 2 ? odataError(400, "SoldOut", "Only 2 are left.", { parameters: { left: 2 } }) : product,
    }),
  ],
});

const tea = { Id: 1, Name: "Tea", Wanted: 9 };
for (const [language, path, body] of [
  ["de-CH, en;q=0.5", "Products", { ...tea, Name: "T" }],
  ["fr", "Products", { ...tea, Name: "T" }],
  ["de", "Products", tea],
  ["fr-FR, de", "Products(7)", null],
  ["it, de", "Products(7)", null],
  ["en-GB, de", "Products(7)", null],
] as const) {
  const init = body === null ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { "Accept-Language": language, "Content-Type": "application/json" };
  const response = await shop.fetch(new Request(`http://shop.example/${path}`, { ...init, headers }));
  const { error } = (await response.json()) as { error: { message: string } };
  console.log(response.headers.get("Content-Language"), response.status, error.message);
}
