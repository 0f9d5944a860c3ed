/** A job in the engine's words: what every job kind is translated to. */
package io.muster.controller.core.job;
