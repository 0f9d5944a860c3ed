/** What a platform team says pods are to get. */
package io.muster.webhook.core.profile;
