// odata-rows.js
// Int64 and Decimal values are strings with all digits.
const JSON_TYPE = "application/json;IEEE754Compatible=true";

const pathOf = (field) => field.replaceAll(".", "/");
const textOf = (value) => `'${String(value).replaceAll("'", "''")}'`;
const LITERALS = { text: textOf, number: String, date: (value) => value.slice(0, 10) };

const CONDITIONS = {
  equals: (path, value) => `${path} eq ${value}`,
  notEqual: (path, value) => `${path} ne ${value}`,
  lessThan: (path, value) => `${path} lt ${value}`,
  lessThanOrEqual: (path, value) => `${path} le ${value}`,
  greaterThan: (path, value) => `${path} gt ${value}`,
  greaterThanOrEqual: (path, value) => `${path} ge ${value}`,
  inRange: (path, from, to) => `${path} ge ${from} and ${path} le ${to}`,
  contains: (path, value) => `contains(tolower(${path}),tolower(${value}))`,
  notContains: (path, value) => `not contains(tolower(${path}),tolower(${value}))`,
  startsWith: (path, value) => `startswith(tolower(${path}),tolower(${value}))`,
  endsWith: (path, value) => `endswith(tolower(${path}),tolower(${value}))`,
  blank: (path) => `${path} eq null`,
  notBlank: (path) => `${path} ne null`,
};
CONDITIONS.before = CONDITIONS.lessThan;
CONDITIONS.after = CONDITIONS.greaterThan;

function filterOf(path, { filterType, type, operator, conditions, filter, filterTo, dateFrom, dateTo }) {
  if (conditions !== undefined) {
    const parts = conditions.map((each) => filterOf(path, { filterType, ...each }));
    return `(${parts.join(` ${operator.toLowerCase()} `)})`;
  }
  const [from, to] = filterType === "date" ? [dateFrom, dateTo] : [filter, filterTo];
  const literal = (value) => (value === undefined || value === null ? "null" : LITERALS[filterType](value));
  return `(${CONDITIONS[type](path, literal(from), literal(to))})`;
}

async function send(method, url, body, headers = {}) {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const types = { Accept: JSON_TYPE, ...(body === undefined ? {} : { "Content-Type": JSON_TYPE }) };
  const response = await fetch(url, { method, headers: { ...types, ...headers }, ...content });
  const text = await response.text();
  const json = text === "" ? null : JSON.parse(text);
  if (!response.ok) throw new Error(json?.error?.message ?? response.statusText);
  return json;
}

export function connectGrid(url, { key = "Id", expand, dateTimes = [], report = console.error } = {}) {
  const filteredPath = (field) => (dateTimes.includes(field) ? `date(${pathOf(field)})` : pathOf(field));
  const getRows = async ({ startRow, endRow, sortModel, filterModel, successCallback, failCallback }) => {
    const query = new URLSearchParams({ $skip: startRow, $top: endRow - startRow, $count: true });
    const orders = sortModel.map(({ colId, sort }) => `${pathOf(colId)} ${sort}`);
    const filters = Object.entries(filterModel).map(([field, model]) => filterOf(filteredPath(field), model));
    if (expand !== undefined) query.set("$expand", expand);
    if (orders.length > 0) query.set("$orderby", orders.join());
    if (filters.length > 0) query.set("$filter", filters.join(" and "));
    try {
      const { value, "@odata.count": count } = await send("GET", `${url}?${query}`);
      successCallback(value, Number(count));
    } catch (error) {
      report(error.message);
      failCallback();
    }
  };
  const onCellValueChanged = async ({ node, data, colDef, newValue, api }) => {
    try {
      const tag = data["@odata.etag"];
      const saved = await saveEntity(url, data[key], { [colDef.field]: newValue }, tag);
      node.setData({ ...data, ...saved });
    } catch (error) {
      report(error.message);
      api.refreshInfiniteCache();
    }
  };
  return {
    rowModelType: "infinite",
    datasource: { getRows },
    getRowId: ({ data }) => String(data[key]),
    onCellValueChanged,
  };
}

export function saveEntity(url, key, changes, tag) {
  return send("PATCH", `${url}(${key})`, changes, { "If-Match": tag, Prefer: "return=representation" });
}

export function createEntity(url, entity) {
  return send("POST", url, entity, { Prefer: "return=representation" });
}

export function deleteEntity(url, key, tag) {
  return send("DELETE", `${url}(${key})`, undefined, { "If-Match": tag });
}
