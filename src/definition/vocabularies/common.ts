/**
 * The terms and types of the vocabulary Common, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const COMMON: string = `
Experimental=.
ServiceVersion=.Int32
ServiceSchemaVersion=.Int32
Label=.
Heading=.
QuickInfo=.
DocumentationRef=.
Text=.
TextFor=.PropertyPath
ExternalID=.PrimitiveType
IsLanguageIdentifier=.Boolean
TextFormat=TextFormatType
TextFormatType|plain html
Timezone=.
IsTimezone=.Boolean
IsDigitSequence=.Boolean
IsUpperCase=.Boolean
IsCurrency=.Boolean
IsUnit=.Boolean
UnitSpecificScale=.PrimitiveType
UnitSpecificPrecision=.PrimitiveType
SecondaryKey=[.PropertyPath]
MinOccurs=.Int64
MaxOccurs=.Int64
AssociationEntity=[.NavigationPropertyPath]
DerivedNavigation=.NavigationPropertyPath
Masked=.Boolean
MaskedValue=.
RevealOnDemand=.Boolean
SemanticObject=.
SemanticObjectMapping=[SemanticObjectMappingAbstract]
SemanticObjectMappingAbstract!(){SemanticObjectProperty}
SemanticObjectMappingType(SemanticObjectMappingAbstract){LocalProperty=.PropertyPath}
SemanticObjectMappingConstant(SemanticObjectMappingAbstract){Constant=.PrimitiveType}
SemanticObjectUnavailableActions=[.]
IsInstanceAnnotation=.Boolean
FilterExpressionRestrictions=[FilterExpressionRestrictionType]
FilterExpressionRestrictionType(){Property=.PropertyPath AllowedExpressions=FilterExpressionType}
FilterExpressionType|SingleValue MultiValue SingleInterval
FieldControl=FieldControlType
FieldControlType|Mandatory Optional ReadOnly Inapplicable Hidden
ExceptionCategory=.
Application=ApplicationType
ApplicationType(){Component ServiceRepository ServiceId ServiceVersion}
Timestamp=.DateTimeOffset
TransactionId=.
ErrorResolution=ErrorResolutionType
ErrorResolutionType(){Analysis Note AdditionalNote}
Messages=[.ComplexType]
additionalTargets=[.]
longtextUrl=.
numericSeverity=.Byte
MaximumNumericMessageSeverity=.Byte
IsActionCritical=.Boolean
Attributes=[.PropertyPath]
RelatedRecursiveHierarchy=.AnnotationPath
Interval=IntervalType
IntervalType(){Label LowerBoundary=.PropertyPath LowerBoundaryIncluded=.Boolean UpperBoundary=.PropertyPath
  UpperBoundaryIncluded=.Boolean}
ResultContext=.Boolean
SAPObjectNodeType=SAPObjectNodeTypeType
SAPObjectNodeTypeType(){Name}
Composition=.Boolean
SAPObjectNodeTypeReference=.
IsNaturalPerson=.Boolean
ValueList=ValueListType
ValueListType(){Label CollectionPath RelativeCollectionPath=.NavigationPropertyPath CollectionRoot
  DistinctValuesSupported=.Boolean SearchSupported=.Boolean FetchValues=.Byte PresentationVariantQualifier
  SelectionVariantQualifier Parameters=[ValueListParameter]}
ValueListRelevantQualifiers=[.]
ValueListWithFixedValues=.Boolean
ValueListShowValuesImmediately=.Boolean
ValueListForValidation=.
ValueListReferences=[.]
ValueListMapping=ValueListMappingType
ValueListMappingType(){Label CollectionPath DistinctValuesSupported=.Boolean FetchValues=.Byte
  PresentationVariantQualifier SelectionVariantQualifier Parameters=[ValueListParameter]}
ValueListParameter!(){ValueListProperty=%}
ValueListParameterIn(ValueListParameter){LocalDataProperty=.PropertyPath InitialValueIsSignificant=.Boolean}
ValueListParameterConstant(ValueListParameter){Constant=.PrimitiveType InitialValueIsSignificant=.Boolean}
ValueListParameterConstants(ValueListParameter){Constants=[.PrimitiveType]}
ValueListParameterInOut(ValueListParameter){LocalDataProperty=.PropertyPath InitialValueIsSignificant=.Boolean}
ValueListParameterOut(ValueListParameter){LocalDataProperty=.PropertyPath}
ValueListParameterDisplayOnly(ValueListParameter){}
ValueListParameterFilterOnly(ValueListParameter){}
IsCalendarYear=.Boolean
IsCalendarHalfyear=.Boolean
IsCalendarQuarter=.Boolean
IsCalendarMonth=.Boolean
IsCalendarWeek=.Boolean
IsDayOfCalendarMonth=.Boolean
IsDayOfCalendarYear=.Boolean
IsCalendarYearHalfyear=.Boolean
IsCalendarYearQuarter=.Boolean
IsCalendarYearMonth=.Boolean
IsCalendarYearWeek=.Boolean
IsCalendarDate=.Boolean
IsFiscalYear=.Boolean
IsFiscalPeriod=.Boolean
IsFiscalYearPeriod=.Boolean
IsFiscalQuarter=.Boolean
IsFiscalYearQuarter=.Boolean
IsFiscalWeek=.Boolean
IsFiscalYearWeek=.Boolean
IsDayOfFiscalYear=.Boolean
IsFiscalYearVariant=.Boolean
MutuallyExclusiveTerm=.Boolean
OperationTemplate=.
DraftRoot=DraftRootType
DraftRootType(DraftNodeType){PreparationAction=@ ActivationAction=@ DiscardAction=@ EditAction=@ ResumeAction=@
  NewAction=@ AdditionalNewActions=[@] ShareAction=@}
DraftNode=DraftNodeType
DraftNodeType(){PreparationAction=@ ValidationFunction=@}
DraftActivationVia=.
EditableFieldFor=.PropertyPath
SemanticKey=[.PropertyPath]
SideEffects=SideEffectsType
SideEffectsType(){SourceProperties=[.PropertyPath] SourceEntities=[.NavigationPropertyPath] SourceEvents=[.]
  TargetProperties=[.] TargetEntities=[.NavigationPropertyPath] TriggerAction=@ Discretionary=.Boolean}
EffectType*|ValidationMessage ValueChange FieldControlChange
DefaultValuesFunction=@
DerivedDefaultValue=.
FilterDefaultValue=.PrimitiveType
FilterDefaultValueHigh=.PrimitiveType
DerivedFilterDefaultValue=.
SortOrder=[SortOrderType]
SortOrderType(){Property=.PropertyPath DynamicProperty=.AnnotationPath Expression=.PrimitiveType Descending=.Boolean}
RecursiveHierarchy=RecursiveHierarchyType
RecursiveHierarchyType(){ExternalNodeKeyProperty=.PropertyPath NodeDescendantCountProperty=.PropertyPath
  NodeDrillStateProperty=.PropertyPath}
CreatedAt=.DateTimeOffset
CreatedBy=.
ChangedAt=.DateTimeOffset
ChangedBy=.
OriginalProtocolVersion=.
ApplyMultiUnitBehaviorForSortingAndFiltering=.Boolean
mediaUploadLink=.
PrimitivePropertyPath=.Boolean
WebSocketBaseURL=.
WebSocketChannel=.
AddressViaNavigationPath=.Boolean
ReferentialConstraint=[ReferentialConstraintType]
ReferentialConstraintType(){Property=.PropertyPath ReferencedProperty=.PropertyPath}
`;
