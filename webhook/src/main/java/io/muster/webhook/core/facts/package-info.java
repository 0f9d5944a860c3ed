/**
 * What a pod says of itself before it is stored: its parts, and the quantities that it asks for.
 */
package io.muster.webhook.core.facts;
