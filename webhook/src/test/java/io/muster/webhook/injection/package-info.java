/** What pods get, checked on fixtures that also run against a real control plane. */
package io.muster.webhook.injection;
