/** How the apiserver learns which pods to ask about. */
package io.muster.webhook.kube;
