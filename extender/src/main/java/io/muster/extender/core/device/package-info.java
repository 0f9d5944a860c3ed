/**
 * What Dynamic Resource Allocation offers on each node: ResourceSlices, DeviceClasses, taints and
 * claims, and the amounts that they come to.
 */
package io.muster.extender.core.device;
