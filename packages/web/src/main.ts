import './once/make-way.ts';
import './shell/app.ts';
