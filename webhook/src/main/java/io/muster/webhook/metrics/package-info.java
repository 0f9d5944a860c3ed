/** Meters of the webhook. */
package io.muster.webhook.metrics;
