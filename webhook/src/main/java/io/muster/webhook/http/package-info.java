/** The address at which the apiserver asks about pods. */
package io.muster.webhook.http;
