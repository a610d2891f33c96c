import { ERROR_RESPONSE, JSON_RESPONSE, ROOT, TEXT_RESPONSE, type Exchange } from "../exchanges.ts";

const DOTNET = {
  "OData-MaxVersion": "4.0",
  "Accept-Charset": "UTF-8",
  "User-Agent": "Microsoft.OData.Client/8.4.0",
  Accept: "application/json;odata.metadata=minimal",
};
const DOTNET_RESPONSE = { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;charset=utf-8" };
const ANY = { Accept: "*/*" };
const UI5 = { Accept: "application/json;odata.metadata=minimal;IEEE754Compatible=true", "OData-MaxVersion": "4.0" };
const UI5_RESPONSE = {
  ...JSON_RESPONSE,
  "content-type": "application/json;odata.metadata=minimal;IEEE754Compatible=true",
};

const read = (name: string, path: string, headers: Exchange["headers"] = ANY) =>
  ({ name, request: ["GET", path], headers }) as const;

/** The rows of a response to a read of products. */
const rows = (context: string, value: string, headers = JSON_RESPONSE): Pick<Exchange, "response"> => ({
  response: {
    status: 200,
    headers,
    text: `{"@odata.context":"${ROOT}/$metadata#Products${context}",${value}}`,
  },
});

const refused = (status: number, code: string, message: string): Pick<Exchange, "response"> => ({
  response: {
    status,
    headers: ERROR_RESPONSE,
    text: JSON.stringify({ error: { code, message, target: "$apply" } }),
  },
});

/** Requests with `$apply`: of LINQ in Microsoft.OData.Client from 7.12.1, of analytical tables of UI5, and of builders of URLs. */
export const AGGREGATION_REQUESTS: readonly Exchange[] = [
  {
    ...read("LINQ sums", "/Products?$apply=aggregate(Price%20with%20sum%20as%20SumPrice)", DOTNET),
    ...rows("(SumPrice)", '"value":[{"SumPrice@odata.type":"#Decimal","SumPrice":1860.00}]', DOTNET_RESPONSE),
  },
  {
    ...read("LINQ averages", "/Products?$apply=aggregate(Price%20with%20average%20as%20AveragePrice)", DOTNET),
    ...rows("(AveragePrice)", '"value":[{"AveragePrice@odata.type":"#Decimal","AveragePrice":31}]', DOTNET_RESPONSE),
  },
  {
    ...read(
      "LINQ filters, then counts distinct values",
      "/Products?$apply=filter(IsInStock%20eq%20true)/aggregate(CategoryId%20with%20countdistinct%20as%20CountDistinctCategoryId)",
      DOTNET,
    ),
    ...rows(
      "(CountDistinctCategoryId)",
      '"value":[{"CountDistinctCategoryId@odata.type":"#Decimal","CountDistinctCategoryId":2}]',
      DOTNET_RESPONSE,
    ),
  },
  {
    ...read(
      "GroupBy of a property",
      "/Products?$apply=groupby((CategoryId),aggregate(Price%20with%20average%20as%20AveragePrice,Price%20with%20sum%20as%20SumPrice,Price%20with%20min%20as%20MinPrice,Price%20with%20max%20as%20MaxPrice,$count%20as%20Count))",
      DOTNET,
    ),
    ...rows(
      "(CategoryId,AveragePrice,SumPrice,MinPrice,MaxPrice,Count)",
      '"value":[{"CategoryId":1,"AveragePrice@odata.type":"#Decimal","AveragePrice":32,"SumPrice@odata.type":"#Decimal","SumPrice":640.00,"MinPrice@odata.type":"#Decimal","MinPrice":3.50,"MaxPrice@odata.type":"#Decimal","MaxPrice":60.50,"Count@odata.type":"#Decimal","Count":20},{"CategoryId":2,"AveragePrice@odata.type":"#Decimal","AveragePrice":30,"SumPrice@odata.type":"#Decimal","SumPrice":600.00,"MinPrice@odata.type":"#Decimal","MinPrice":1.50,"MaxPrice@odata.type":"#Decimal","MaxPrice":58.50,"Count@odata.type":"#Decimal","Count":20},{"CategoryId":3,"AveragePrice@odata.type":"#Decimal","AveragePrice":31,"SumPrice@odata.type":"#Decimal","SumPrice":620.00,"MinPrice@odata.type":"#Decimal","MinPrice":2.50,"MaxPrice@odata.type":"#Decimal","MaxPrice":59.50,"Count@odata.type":"#Decimal","Count":20}]',
      DOTNET_RESPONSE,
    ),
  },
  {
    ...read(
      "GroupBy of two properties, one of a related entity, behind Where",
      "/Products?$apply=filter(Price%20lt%2010)/groupby((Category/Name,IsInStock),aggregate($count%20as%20Count))",
      DOTNET,
    ),
    ...rows(
      "(Category(Name),IsInStock,Count)",
      '"value":[{"Category":{"Name":"Chairs"},"IsInStock":false,"Count@odata.type":"#Decimal","Count":3},{"Category":{"Name":"Lamps & more"},"IsInStock":true,"Count@odata.type":"#Decimal","Count":3},{"Category":{"Name":"Tables"},"IsInStock":true,"Count@odata.type":"#Decimal","Count":3}]',
      DOTNET_RESPONSE,
    ),
  },
  {
    ...read(
      "LINQ aggregates a property of a related entity",
      "/Products?$apply=aggregate(Category/Id%20with%20max%20as%20MaxCategory_Id)",
      DOTNET,
    ),
    ...rows("(MaxCategory_Id)", '"value":[{"MaxCategory_Id@odata.type":"#Int32","MaxCategory_Id":3}]', DOTNET_RESPONSE),
  },
  {
    ...read(
      "UI5 reads the grand total, the number of groups, and the first groups",
      "/Products?$apply=concat(aggregate(Price%20with%20sum%20as%20Price),groupby((CategoryId),aggregate(Price%20with%20sum%20as%20Price))/concat(aggregate($count%20as%20UI5__count),top(4)))",
      UI5,
    ),
    ...rows(
      "",
      '"value":[{"Price":"1860.00"},{"UI5__count@odata.type":"#Decimal","UI5__count":"3"},{"CategoryId":1,"Price":"640.00"},{"CategoryId":2,"Price":"600.00"},{"CategoryId":3,"Price":"620.00"}]',
      UI5_RESPONSE,
    ),
  },
  {
    ...read(
      "UI5 filters groups, sorts and pages them",
      "/Products?$apply=filter(IsInStock%20eq%20true)/groupby((CategoryId),aggregate(Price%20with%20sum%20as%20Price))/filter(Price%20gt%20400)/orderby(Price%20desc)/concat(aggregate($count%20as%20UI5__count),skip(1)/top(1))",
      UI5,
    ),
    ...rows(
      "",
      '"value":[{"UI5__count@odata.type":"#Decimal","UI5__count":"2"},{"CategoryId":2,"Price":"600.00"}]',
      UI5_RESPONSE,
    ),
  },
  {
    ...read(
      "UI5 counts the leaves, and searches first",
      "/Products?$apply=search(%22Product%200%22)/concat(groupby((CategoryId,Name))/aggregate($count%20as%20UI5__leaves),groupby((CategoryId),aggregate(Price%20with%20max%20as%20Price))/concat(aggregate($count%20as%20UI5__count),top(2)))",
      UI5,
    ),
    ...rows(
      "",
      '"value":[{"UI5__leaves@odata.type":"#Decimal","UI5__leaves":"9"},{"UI5__count@odata.type":"#Decimal","UI5__count":"3"},{"CategoryId":1,"Price":"9.50"},{"CategoryId":2,"Price":"7.50"}]',
      UI5_RESPONSE,
    ),
  },
  {
    ...read(
      "Syncfusion reads the values of a column for a filter, while the user types",
      "/Products/?$apply=filter(contains(tolower(Name),%2705%27))/groupby((Name),%20aggregate($count%20as%20groupCount))&$top=1000",
    ),
    ...rows("(Name,groupCount)", '"value":[{"Name":"Product 05","groupCount@odata.type":"#Decimal","groupCount":1}]'),
  },
  {
    ...read(
      "distinct values of related entities, sorted and counted",
      "/Products?$apply=groupby((Category/Name))&$orderby=Category/Name%20desc&$count=true",
    ),
    ...rows(
      "(Category(Name))",
      '"@odata.count":3,"value":[{"Category":{"Name":"Tables"}},{"Category":{"Name":"Lamps & more"}},{"Category":{"Name":"Chairs"}}]',
    ),
  },
  {
    ...read("a total with a count", "/Products?$apply=aggregate(Price%20with%20sum%20as%20T,$count%20as%20N)"),
    ...rows("(T,N)", '"value":[{"T@odata.type":"#Decimal","T":1860.00,"N@odata.type":"#Decimal","N":60}]'),
  },
  {
    ...read(
      "odata-query filters, groups and limits",
      "/Products?$apply=filter(Price%20gt%2050)/groupby((CategoryId),aggregate(Id%20with%20countdistinct%20as%20Total))&$top=1",
    ),
    ...rows("(CategoryId,Total)", '"value":[{"CategoryId":1,"Total@odata.type":"#Decimal","Total":4}]'),
  },
  {
    ...read("the number of groups", "/Products/$count?$apply=groupby((CategoryId))"),
    response: { status: 200, headers: TEXT_RESPONSE, text: "3" },
  },
  {
    ...read(
      "groupby without its second parentheses",
      "/Products?$apply=groupby(CategoryId,aggregate($count%20as%20N))",
    ),
    ...refused(
      400,
      "InvalidQueryOption",
      '$apply at position 8: expected a second "(": the paths have their own parentheses, as in groupby((Name),aggregate(…)), found "CategoryId".',
    ),
  },
  {
    ...read("an aggregate without a step", "/Products?$apply=sum(Price)"),
    ...refused(
      400,
      "InvalidQueryOption",
      '$apply at position 0: "sum" is not a step of $apply. Write aggregate(Price with sum as Alias).',
    ),
  },
];
