/** What the controller needs of its surroundings. */
package io.muster.controller.port;
