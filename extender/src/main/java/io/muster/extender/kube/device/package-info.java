/** Objects of resource.k8s.io as the decisions see them, and the selectors of their classes. */
package io.muster.extender.kube.device;
