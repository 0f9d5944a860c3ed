/** Under which name the server is found, and which jobs ask for it. */
package io.muster.controller.kinds.di.server.presence;
