/**
 * Amounts by resource name, as whole numbers: cpu in millicores, everything else in units (bytes, pods, devices), both
 * rounded up as the API server does. A name that is absent was not given; an explicit 0 is kept.
 */
export type Resources = Readonly<Record<string, number>>;
