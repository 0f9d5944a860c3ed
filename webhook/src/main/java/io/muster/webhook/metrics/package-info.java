/** What the webhook does, in figures. */
package io.muster.webhook.metrics;
