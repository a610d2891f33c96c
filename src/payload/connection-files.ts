/**
 * Writes a data source file of Power BI, which connects to the OData feed.
 * @param serviceRoot absolute
 * @see https://learn.microsoft.com/en-us/power-bi/connect-data/desktop-data-sources#using-pbids-files-to-get-data
 */
export function writePbids(serviceRoot: string): string {
  const details = { protocol: "odata", address: { url: serviceRoot } };
  return JSON.stringify({ version: "0.1", connections: [{ details, options: {}, mode: "Import" }] });
}

/**
 * Writes an Office data connection of Excel: a query of Power Query that lists the tables of the OData feed.
 * @param serviceRoot absolute
 * @param title the name of the connection
 * @see docs/guides/excel-and-power-bi.md
 */
export function writeOdc(serviceRoot: string, title: string): string {
  const formula = `let Source = OData.Feed("${escapeText(serviceRoot)}", null, [Implementation = "2.0"]) in Source`;
  const mashup =
    '<Mashup xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
    'xmlns="http://schemas.microsoft.com/DataMashup"><Client>EXCEL</Client><Version>2.21.0.0</Version>' +
    "<MinVersion>2.21.0.0</MinVersion><Culture>en-US</Culture><SafeCombine>true</SafeCombine><Items>" +
    `<Query Name="Feed"><Formula>${escapeMarkup(formula)}</Formula><IsParameterQuery xsi:nil="true" />` +
    '<IsDirectQuery xsi:nil="true" /></Query></Items></Mashup>';
  return `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns="http://www.w3.org/TR/REC-html40">
<head>
<meta http-equiv="Content-Type" content="text/x-ms-odc; charset=utf-8"/>
<meta name="ProgId" content="ODC.Database"/>
<meta name="SourceType" content="OLEDB"/>
<title>${escapeMarkup(title)}</title>
<xml id="msodc"><odc:OfficeDataConnection xmlns:odc="urn:schemas-microsoft-com:office:odc">
<odc:PowerQueryConnection odc:Type="OLEDB">
<odc:ConnectionString>Provider=Microsoft.Mashup.OleDb.1;Data Source=$Workbook$;Location=Feed;Extended Properties=""</odc:ConnectionString>
<odc:CommandType>SQL</odc:CommandType>
<odc:CommandText>SELECT * FROM [Feed]</odc:CommandText>
</odc:PowerQueryConnection>
<odc:PowerQueryMashupData>${escapeMarkup(mashup)}</odc:PowerQueryMashupData>
</odc:OfficeDataConnection></xml>
</head>
</html>
`;
}

/** Escapes a text of the formula language. @see https://learn.microsoft.com/en-us/powerquery-m/m-spec-lexical-structure */
function escapeText(text: string): string {
  return text.replaceAll("#(", "#(#)(").replaceAll('"', '""');
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
