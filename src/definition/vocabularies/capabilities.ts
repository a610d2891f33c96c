/**
 * The terms and types of the vocabulary Capabilities, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const CAPABILITIES: string = `
ConformanceLevel=ConformanceLevelType
ConformanceLevelType|Minimal Intermediate Advanced
SupportedFormats=[.]
SupportedMetadataFormats=[.]
AcceptableEncodings=[.]
AsynchronousRequestsSupported=.Boolean
BatchContinueOnErrorSupported=.Boolean
IsolationSupported=IsolationLevel
IsolationLevel*|Snapshot
CrossJoinSupported=.Boolean
CallbackSupported=CallbackType
CallbackType(){CallbackProtocols=[CallbackProtocol]}
CallbackProtocol(){Id UrlTemplate DocumentationUrl}
ChangeTracking=ChangeTrackingType
ChangeTrackingBase(){Supported=.Boolean}
ChangeTrackingType(ChangeTrackingBase){FilterableProperties=[.PropertyPath]
  ExpandableProperties=[.NavigationPropertyPath]}
CountRestrictions=CountRestrictionsType
CountRestrictionsBase(){Countable=.Boolean}
CountRestrictionsType(CountRestrictionsBase){NonCountableProperties=[.PropertyPath]
  NonCountableNavigationProperties=[.NavigationPropertyPath]}
NavigationRestrictions=NavigationRestrictionsType
NavigationRestrictionsType(){Navigability=NavigationType RestrictedProperties=[NavigationPropertyRestriction]}
NavigationPropertyRestriction(){NavigationProperty=.NavigationPropertyPath Navigability=NavigationType
  FilterFunctions=[.] FilterRestrictions=FilterRestrictionsType SearchRestrictions=SearchRestrictionsType
  SortRestrictions=SortRestrictionsType TopSupported=.Boolean SkipSupported=.Boolean SelectSupport=SelectSupportType
  IndexableByKey=.Boolean InsertRestrictions=InsertRestrictionsType DeepInsertSupport=DeepInsertSupportType
  UpdateRestrictions=UpdateRestrictionsType DeepUpdateSupport=DeepUpdateSupportType
  DeleteRestrictions=DeleteRestrictionsType OptimisticConcurrencyControl=.Boolean
  ReadRestrictions=ReadRestrictionsType}
NavigationType|Recursive Single None
IndexableByKey=.Boolean
TopSupported=.Boolean
SkipSupported=.Boolean
ComputeSupported=.Boolean
SelectSupport=SelectSupportType
SelectSupportType(){Supported=.Boolean InstanceAnnotationsSupported=.Boolean Expandable=.Boolean Filterable=.Boolean
  Searchable=.Boolean TopSupported=.Boolean SkipSupported=.Boolean ComputeSupported=.Boolean Countable=.Boolean
  Sortable=.Boolean}
BatchSupported=.Boolean
BatchSupport=BatchSupportType
BatchSupportType(){Supported=.Boolean ContinueOnErrorSupported=.Boolean ReferencesInRequestBodiesSupported=.Boolean
  ReferencesAcrossChangeSetsSupported=.Boolean EtagReferencesSupported=.Boolean
  RequestDependencyConditionsSupported=.Boolean SupportedFormats=[.]}
FilterFunctions=[.]
FilterRestrictions=FilterRestrictionsType
FilterRestrictionsBase(){Filterable=.Boolean RequiresFilter=.Boolean MaxLevels=.Int32}
FilterRestrictionsType(FilterRestrictionsBase){RequiredProperties=[.PropertyPath]
  NonFilterableProperties=[.PropertyPath] FilterExpressionRestrictions=[FilterExpressionRestrictionType]}
FilterExpressionRestrictionType(){Property=.PropertyPath AllowedExpressions}
SortRestrictions=SortRestrictionsType
SortRestrictionsBase(){Sortable=.Boolean}
SortRestrictionsType(SortRestrictionsBase){AscendingOnlyProperties=[.PropertyPath]
  DescendingOnlyProperties=[.PropertyPath] NonSortableProperties=[.PropertyPath]}
ExpandRestrictions=ExpandRestrictionsType
ExpandRestrictionsBase(){Expandable=.Boolean StreamsExpandable=.Boolean MaxLevels=.Int32}
ExpandCollectionRestrictionsType(ExpandRestrictionsBase){ExpandByKeyRestrictions=ExpandByKeyRestrictionsBase}
ExpandRestrictionsType(ExpandCollectionRestrictionsType){NonExpandableProperties=[.NavigationPropertyPath]
  NonExpandableStreamProperties=[.PropertyPath]}
ExpandByKeyRestrictionsBase(ExpandRestrictionsBase){}
ExpandByKeyRestrictionsType(ExpandByKeyRestrictionsBase){NonExpandableProperties=[.NavigationPropertyPath]
  NonExpandableStreamProperties=[.PropertyPath]}
SearchRestrictions=SearchRestrictionsType
SearchRestrictionsType(){Searchable=.Boolean UnsupportedExpressions=SearchExpressions}
SearchExpressions*|none AND OR NOT phrase group
KeyAsSegmentSupported=.Boolean
QuerySegmentSupported=.Boolean
InsertRestrictions=InsertRestrictionsType
InsertRestrictionsBase(){Insertable=.Boolean MaxLevels=.Int32 TypecastSegmentSupported=.Boolean
  QueryOptions=ModificationQueryOptionsType CustomHeaders=[CustomParameter] CustomQueryOptions=[CustomParameter]
  Description LongDescription ErrorResponses=[HttpResponse]}
InsertRestrictionsType(InsertRestrictionsBase){NonInsertableProperties=[.PropertyPath]
  NonInsertableNavigationProperties=[.NavigationPropertyPath] RequiredProperties=[.PropertyPath]
  Permissions=[PermissionType]}
PermissionType(){SchemeName Scopes=[ScopeType]}
ScopeType(){Scope RestrictedProperties}
DeepInsertSupport=DeepInsertSupportType
DeepInsertSupportType(){Supported=.Boolean ContentIDSupported=.Boolean}
UpdateRestrictions=UpdateRestrictionsType
UpdateRestrictionsBase(){Updatable=.Boolean Upsertable=.Boolean DeltaUpdateSupported=.Boolean UpdateMethod=HttpMethod
  FilterSegmentSupported=.Boolean TypecastSegmentSupported=.Boolean MaxLevels=.Int32 Permissions=[PermissionType]
  QueryOptions=ModificationQueryOptionsType CustomHeaders=[CustomParameter] CustomQueryOptions=[CustomParameter]
  Description LongDescription ErrorResponses=[HttpResponse]}
UpdateRestrictionsType(UpdateRestrictionsBase){NonUpdatableProperties=[.PropertyPath]
  NonUpdatableNavigationProperties=[.NavigationPropertyPath] RequiredProperties=[.PropertyPath]}
HttpMethod*|GET PATCH PUT POST DELETE OPTIONS HEAD
DeepUpdateSupport=DeepUpdateSupportType
DeepUpdateSupportType(){Supported=.Boolean ContentIDSupported=.Boolean}
DeleteRestrictions=DeleteRestrictionsType
DeleteRestrictionsBase(){Deletable=.Boolean MaxLevels=.Int32 FilterSegmentSupported=.Boolean
  TypecastSegmentSupported=.Boolean Permissions=[PermissionType] CustomHeaders=[CustomParameter]
  CustomQueryOptions=[CustomParameter] Description LongDescription ErrorResponses=[HttpResponse]}
DeleteRestrictionsType(DeleteRestrictionsBase){NonDeletableNavigationProperties=[.NavigationPropertyPath]}
CollectionPropertyRestrictions=[CollectionPropertyRestrictionsType]
CollectionPropertyRestrictionsType(){CollectionProperty=.PropertyPath FilterFunctions=[.]
  FilterRestrictions=FilterRestrictionsType SearchRestrictions=SearchRestrictionsType
  SortRestrictions=SortRestrictionsType TopSupported=.Boolean SkipSupported=.Boolean SelectSupport=SelectSupportType
  Insertable=.Boolean Updatable=.Boolean Deletable=.Boolean}
OperationRestrictions=OperationRestrictionsType
OperationRestrictionsType(){FilterSegmentSupported=.Boolean Permissions=[PermissionType]
  CustomHeaders=[CustomParameter] CustomQueryOptions=[CustomParameter] ErrorResponses=[HttpResponse]}
AnnotationValuesInQuerySupported=.Boolean
ModificationQueryOptions=ModificationQueryOptionsType
ModificationQueryOptionsType(){ExpandSupported=.Boolean SelectSupported=.Boolean ComputeSupported=.Boolean
  FilterSupported=.Boolean SearchSupported=.Boolean SortSupported=.Boolean}
ReadRestrictions=ReadRestrictionsType
ReadRestrictionsBase!(){Readable=.Boolean Permissions=[PermissionType] CustomHeaders=[CustomParameter]
  CustomQueryOptions=[CustomParameter] Description LongDescription ErrorResponses=[HttpResponse]}
ReadByKeyRestrictionsType(ReadRestrictionsBase){}
ReadRestrictionsType(ReadRestrictionsBase){TypecastSegmentSupported=.Boolean
  ReadByKeyRestrictions=ReadByKeyRestrictionsType}
CustomHeaders=[CustomParameter]
CustomQueryOptions=[CustomParameter]
CustomParameter(){Name Description DocumentationURL Required=.Boolean ExampleValues=[Core.PrimitiveExampleValue]}
MediaLocationUpdateSupported=.Boolean
DefaultCapabilities=DefaultCapabilitiesType
DefaultCapabilitiesType(){ChangeTracking=ChangeTrackingBase CountRestrictions=CountRestrictionsBase
  IndexableByKey=.Boolean TopSupported=.Boolean SkipSupported=.Boolean ComputeSupported=.Boolean
  SelectSupport=SelectSupportType FilterRestrictions=FilterRestrictionsBase SortRestrictions=SortRestrictionsBase
  ExpandRestrictions=ExpandRestrictionsBase SearchRestrictions=SearchRestrictionsType
  InsertRestrictions=InsertRestrictionsBase UpdateRestrictions=UpdateRestrictionsBase
  DeleteRestrictions=DeleteRestrictionsBase OperationRestrictions=OperationRestrictionsType
  ReadRestrictions=ReadRestrictionsType}
HttpResponse(){StatusCode Description}
`;
