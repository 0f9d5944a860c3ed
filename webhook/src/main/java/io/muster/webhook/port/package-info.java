/** What the webhook asks of the rest of Muster. */
package io.muster.webhook.port;
