/** What was counted in namespaces in shadow, in a ConfigMap. */
package io.muster.extender.kube.shadow;
