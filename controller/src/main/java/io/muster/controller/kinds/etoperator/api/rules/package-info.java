/** What the CRDs check, and the messages of it. */
package io.muster.controller.kinds.etoperator.api.rules;
