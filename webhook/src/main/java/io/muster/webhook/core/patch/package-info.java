/** Steps of a JSON patch and the values they write. */
package io.muster.webhook.core.patch;
