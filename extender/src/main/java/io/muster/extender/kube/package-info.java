/** What the packages below share: text as objects of the API may carry it. */
package io.muster.extender.kube;
